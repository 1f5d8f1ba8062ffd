// What the benches use of the built library, from its entries.
export * from '../dist/core.js'
export * from '../dist/node.js'
export * from '../dist/test-output.js'
