import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Transcript } from '../../src/core/types.ts'
import { usdOf } from '../../src/loop/start-agent.ts'

const prices = { big: { input: 10, output: 40, cachedInput: 1 }, small: { input: 1, output: 2 } }
const counts = { input: 100_000, cachedInput: 200_000, output: 50_000 }

const rows: [about: string, usage: Transcript['usage'], usd: number | undefined][] = [
  ["the agent's own cost wins", { usd: 0.5, models: { big: counts } }, 0.5],
  ['tokens at their prices', { models: { big: counts } }, 1 + 0.2 + 2],
  ['cached input without its own price', { models: { small: counts } }, 0.1 + 0.2 + 0.1],
  ['several models', { models: { big: counts, small: counts } }, 3.2 + 0.4],
  ['a cost of zero from an agent without prices', { usd: 0, models: { big: counts } }, 3.2],
  ['a model without a price', { models: { big: counts, other: counts } }, undefined],
  ['a model named like an object property', { models: { constructor: counts } }, undefined],
  ['a cost of zero, and no price either', { usd: 0, models: { other: counts } }, 0],
  ['no tokens per model', { tokens: 500 }, undefined],
]
it.each(rows)('%s', (_, usage, usd) => {
  const cost = usdOf(usage, prices)
  if (usd === undefined) expect(cost).toBeUndefined()
  else expect(cost).toBeCloseTo(usd, 9)
})

it('more tokens never cost less', () => {
  const count = fc.record({ input: fc.nat(), cachedInput: fc.nat(), output: fc.nat() })
  fc.assert(
    fc.property(count, count, (one, other) => {
      const both = {
        input: one.input + other.input,
        cachedInput: one.cachedInput + other.cachedInput,
        output: one.output + other.output,
      }
      expect(usdOf({ models: { big: both } }, prices)).toBeGreaterThanOrEqual(usdOf({ models: { big: one } }, prices)!)
    }),
  )
})
