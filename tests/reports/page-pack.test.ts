import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childrenOf, pack } from '../../src/reports/page/pack.ts'
import { visible, visibleLine } from '../../src/reports/page/safe-text.ts'
import { thin } from '../../src/reports/page/thin.ts'
import { anyCharacter } from '../any-character.ts'
import { HOSTILE } from '../browser/hostile-text.ts'
import { longRun, shown } from './page-runs.ts'

describe('packing', () => {
  it('unpacks to the same values after a round trip through JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (values) => {
        // JSON has no -0, and `__proto__` is not an ordinary key.
        const plain: unknown[] = JSON.parse(JSON.stringify(values))
        fc.pre(!JSON.stringify(plain).includes('__proto__'))
        const children = childrenOf(JSON.parse(JSON.stringify(pack(plain))))
        expect(Array.from({ length: children.length }, (_, n) => children.at(n))).toEqual(plain)
      }),
    )
  })

  it('stores repeated values only once', () => {
    const { iterations } = shown(longRun(64))
    expect(JSON.stringify(pack(iterations)).length).toBeLessThan(JSON.stringify(iterations).length / 3)
  })
})

describe('thinning', () => {
  const lines = fc.array(fc.option(fc.integer({ min: -1000, max: 1000 })), { minLength: 1, maxLength: 3000 })
  it('keeps to the number of points, and keeps both ends, the minimum and the maximum', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 10, max: 700 }), (line, most) => {
        const x = line.map((_value, at) => at)
        const thinned = thin(x, [line], most)
        expect(thinned.x.length).toBeLessThanOrEqual(Math.max(most, 4))
        expect([thinned.x[0], thinned.x.at(-1)]).toEqual([0, x.length - 1])
        expect(thinned.x.map((at) => line[at])).toEqual(thinned.y[0])
        const values = (all: readonly (number | null)[]) => all.filter((value) => value !== null)
        const [all, kept] = [values(line), values(thinned.y[0] ?? [])]
        expect([Math.max(...kept), Math.min(...kept)]).toEqual([Math.max(...all), Math.min(...all)])
      }),
    )
  })
})

describe('displayed text', () => {
  it.each(HOSTILE)('%s', (_name, text, seen) => {
    expect(visible(text, 1000)).toContain(seen)
  })

  it('has no invisible characters, for any input', () => {
    const unit = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...HOSTILE.map(([, text]) => text)))
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const shownText = visible(parts.join(''), 10_000)
        expect(shownText).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/,
        )
        expect(shownText.length).toBeLessThan(100_000)
        expect(visibleLine(parts.join(''), 500)).not.toContain('\n')
      }),
    )
  })

  it('is the end of a long text', () => {
    expect(visible(`${'a'.repeat(50)}the end`, 7)).toBe('[50 characters before this are left out]\nthe end')
    expect(visibleLine('the beginning and more', 13)).toBe('the beginning...')
  })
})
