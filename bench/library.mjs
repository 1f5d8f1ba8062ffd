// The parts of the built library that benches use.
export * from '../dist/core.js'
export * from '../dist/node.js'
export * from '../dist/test-output.js'
