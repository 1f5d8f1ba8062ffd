import { hash, randomBytes } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { sha256Module } from '../../scripts/make-sha256.mjs'
import { MODULE, MOST_BYTES, sha256 } from '../../src/system/sha256.ts'

it.each([0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 1000, 4096, MOST_BYTES - 1, MOST_BYTES])(
  'is the standard SHA-256 for %i bytes',
  (size) => {
    for (let n = 0; n < 5; n++) {
      const bytes = randomBytes(size)
      expect(sha256(bytes)).toBe(hash('sha256', bytes, 'hex'))
    }
  },
)

class NoMemory {
  constructor() {
    throw new RangeError('Out of memory')
  }
}

it('is the module that its readable form assembles', () => {
  expect(MODULE).toBe(sha256Module)
})

it.each([
  ['with WebAssembly', Reflect.get(globalThis, 'WebAssembly')],
  ['without WebAssembly', undefined],
  ['without memory for it', { Module: class {}, Instance: NoMemory }],
])('hashes small and large inputs %s', async (_name, wasm: unknown) => {
  vi.stubGlobal('WebAssembly', wasm)
  vi.resetModules()
  const { digest } = await import('../../src/system/digest.ts')
  for (const size of [10, MOST_BYTES - 20, 20, 100_003, 10]) {
    const bytes = randomBytes(size)
    expect(digest(bytes)).toBe(hash('sha256', bytes, 'hex'))
  }
  expect(digest('gr\u00fc\u00df')).toBe(hash('sha256', 'gr\u00fc\u00df', 'hex'))
  vi.unstubAllGlobals()
})
