import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checksum } from '../../src/journal/snapshot.ts'

describe('the checksum', () => {
  it('has 16 digits, even for no bytes', () => {
    expect(checksum(new Uint8Array())).toMatch(/^[0-9a-f]{16}$/)
  })

  it('changes with every bit', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(bytes, fc.nat(), fc.nat(7), (good, place, bit) => {
        const bad = Uint8Array.from(good)
        bad[place % bad.length]! ^= 1 << bit
        expect(checksum(bad)).not.toBe(checksum(good))
      }),
    )
  })

  it('changes with the length, even if only zeros are added or removed', () => {
    const sums = Array.from({ length: 9 }, (_, n) => checksum(new Uint8Array(n)))
    expect(new Set(sums).size).toBe(sums.length)
  })

  it('does not depend on the memory address of the bytes', () => {
    const held = Buffer.from('..abcdefg')
    expect(checksum(held.subarray(2))).toBe(checksum(Buffer.from('abcdefg')))
  })
})
