import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LIST_PRICES, listPriceOf } from '../../src/agents/list-prices.ts'
import type { Transcript } from '../../src/core/types.ts'
import { usdOf } from '../../src/loop/limits/cost.ts'

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
  ['a list price', { models: { 'gemini-2.5-pro': counts } }, 0.125 + 0.025 + 0.5],
  [
    'a list price of a dated name from a provider',
    { models: { 'openai/gpt-5.5-2026-04-23': counts } },
    0.5 + 0.1 + 1.5,
  ],
]
it.each(rows)('%s', (_, usage, usd) => {
  const cost = usdOf(usage, prices)
  if (usd === undefined) expect(cost).toBeUndefined()
  else expect(cost).toBeCloseTo(usd, 9)
})

/** Codex doesn't name its model. */
const unnamed: [
  about: string,
  prices: Parameters<typeof usdOf>[1],
  model: string | undefined,
  usd: number | undefined,
][] = [
  ['no model and no price', {}, undefined, undefined],
  ['the list price of the model', {}, 'gpt-5.5', 0.5 + 0.1 + 1.5],
  ['your price of the model before the list price', { 'gpt-5.5': prices.big }, 'gpt-5.5', 3.2],
  ['your price of the model without its provider', { 'gpt-5.5': prices.big }, 'azure/gpt-5.5', 3.2],
  ['your price of the agent before the list price', { codex: prices.small }, 'gpt-5.5', 0.4],
  ['your price of the model before that of the agent', { codex: prices.small, big: prices.big }, 'big', 3.2],
  ['a model without a price', {}, 'my-model', undefined],
]
it.each(unnamed)('tokens of an unnamed model: %s', (_, own, model, usd) => {
  const cost = usdOf({ models: { codex: counts } }, own, { agent: 'codex', model })
  if (usd === undefined) expect(cost).toBeUndefined()
  else expect(cost).toBeCloseTo(usd, 9)
})

const listed: [model: string, input: number | undefined][] = [
  ['gpt-5.5', 5],
  ['gpt-5.5-pro', 30],
  ['GPT-5.5', 5],
  ['gpt-5.5-turbo', undefined],
  ['openrouter/openai/gpt-5.5', 5],
  ['claude-sonnet-4-5-20250929', 3],
  ['claude-sonnet-4-5@20250929', 3],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3],
  ['claude-opus-4-20250514', 15],
  ['claude-opus-4-5', 5],
  ['gemini-3-pro-preview', 2],
  ['gemini-2.5-flash-lite-preview-09-2025', 0.1],
  ['constructor', undefined],
  ['', undefined],
]
it.each(listed)('the list price of "%s"', (model, input) => expect(listPriceOf(model)?.input).toBe(input))

it('every list price is above zero, and cached input is cheaper', () => {
  for (const [model, { input, output, cachedInput = input }] of LIST_PRICES)
    expect([model, input > 0, output > input, cachedInput <= input]).toEqual([model, true, true, true])
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
