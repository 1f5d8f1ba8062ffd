import { hash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { sha256 } from '../../src/system/sha256.ts'

it.each([0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 1000, 4096, 100_003])(
  'is the standard SHA-256 for %i bytes',
  (size) => {
    for (let n = 0; n < 5; n++) {
      const bytes = randomBytes(size)
      expect(sha256(bytes)).toBe(hash('sha256', bytes, 'hex'))
    }
  },
)
