import { listPriceOf, withoutProvider } from '../../agents/list-prices.ts'
import type { Price } from '../../core/run-config.ts'
import type { Transcript } from '../../core/types.ts'

type Prices = Readonly<Record<string, Price>>

/** An agent whose output doesn't name its model counts all tokens under its own name. */
export interface UnnamedModel {
  readonly agent: string
  /** Its model, if it was found elsewhere. */
  readonly model?: string | undefined
}

const MILLION = 1_000_000

/**
 * The cost of an iteration: as reported by the agent, else its tokens at your prices, else at list prices. An agent that doesn't know
 * prices reports nothing or zero. If one model has no price, the cost is unknown, because a part would look like the total.
 */
export function usdOf(usage: Transcript['usage'], prices: Prices, unnamed?: UnnamedModel): number | undefined {
  const models = Object.entries(usage.models ?? {})
  if ((usage.usd ?? 0) > 0 || models.length === 0) return usage.usd
  let usd = 0
  for (const [model, { input, cachedInput, output }] of models) {
    const price =
      model === unnamed?.agent ? priceOf(unnamed, prices) : priceOf({ agent: unnamed?.agent, model }, prices)
    if (price === undefined) return usage.usd
    usd += (input * price.input + cachedInput * (price.cachedInput ?? price.input) + output * price.output) / MILLION
  }
  return usd
}

/** Your price of the model, then your price of the agent, then the list price of the model. */
export function priceOf(
  { agent, model }: { readonly agent?: string | undefined; readonly model?: string | undefined },
  prices: Prices,
): Price | undefined {
  const own = (name: string | undefined) =>
    name !== undefined && Object.hasOwn(prices, name) ? prices[name] : undefined
  const named = model === undefined ? undefined : (own(model) ?? own(withoutProvider(model)))
  return named ?? own(agent) ?? (model === undefined ? undefined : listPriceOf(model))
}
