import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearest } from '../../packages/core/src/nearest.ts'

const keys = ['threshold', 'enabled', 'patterns', 'evidence', 'max-iterations', 'usd']

const rows: [string, string | undefined][] = [
  ['threshold', 'threshold'],
  ['treshold', 'threshold'],
  ['htreshold', 'threshold'],
  ['THRESHOLD', 'threshold'],
  ['thre_shold', 'threshold'],
  ['enabeld', 'enabled'],
  ['maxIterations', 'max-iterations'],
  ['--max-iteration', 'max-iterations'],
  ['use', 'usd'],
  ['foo', undefined],
  ['zebra', undefined],
  ['', undefined],
  ['--', undefined],
]

describe('nearest', () => {
  it.each(rows)('%j is %j', (word, found) => expect(nearest(word, keys)).toBe(found))

  it('takes the nearest, not the first', () => expect(nearest('cubb', ['cup', 'cub'])).toBe('cub'))
  it('suggests nothing without candidates', () => expect(nearest('cub', [])).toBeUndefined())

  it('finds every word again after one typo', () => {
    const word = fc.stringMatching(/^[a-z]{4,12}$/)
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom('drop', 'double', 'swap'), (right, where, slip) => {
        const i = where % (right.length - 1)
        const [a, b] = [right[i]!, right[i + 1]!]
        const wrong = {
          drop: right.slice(0, i) + right.slice(i + 1),
          double: right.slice(0, i) + a + right.slice(i),
          swap: right.slice(0, i) + b + a + right.slice(i + 2),
        }[slip]
        expect(nearest(wrong, [right])).toBe(right)
      }),
    )
  })
})
