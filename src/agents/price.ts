import type { Transcript } from '../core/types.ts'

interface Price {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
}

const MILLION = 1_000_000

/**
 * What an iteration cost: what the agent says, and where it says nothing, what its tokens cost at the user's prices. An agent that
 * knows no prices says nothing or zero. A model without a price leaves the cost unknown: part of it would look like all of it.
 */
export function usdOf(usage: Transcript['usage'], prices: Readonly<Record<string, Price>>): number | undefined {
  const models = Object.entries(usage.models ?? {})
  if ((usage.usd ?? 0) > 0 || models.length === 0) return usage.usd
  let usd = 0
  for (const [model, { input, cachedInput, output }] of models) {
    const price = Object.hasOwn(prices, model) ? prices[model] : undefined
    if (price === undefined) return usage.usd
    usd += (input * price.input + cachedInput * (price.cachedInput ?? price.input) + output * price.output) / MILLION
  }
  return usd
}
