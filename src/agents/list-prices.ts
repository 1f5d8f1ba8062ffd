/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Price of cached input. Without it, cached input costs as much as other input. */
  readonly cachedInput?: number
}

/**
 * When the list prices below were compared with the vendors' public price lists: developers.openai.com/api/docs/pricing,
 * platform.claude.com/docs/en/about-claude/pricing and ai.google.dev/gemini-api/docs/pricing.
 */
export const LIST_PRICES_DATE = '2026-11-02'

type Row = readonly [input: number, cachedInput: number | undefined, output: number, ...models: readonly string[]]

/** Standard prices of short prompts. Long prompts, other service tiers and subscriptions cost something else. */
const ROWS: readonly Row[] = [
  // OpenAI
  [1, 0.05, 5, 'gpt-6.1-terra'],
  [2, 0.1, 10, 'gpt-6.1-sol'],
  [10, 1, 50, 'gpt-6-astra'],
  [2, 0.2, 10, 'gpt-6-sol'],
  [0.1, 0.01, 0.5, 'gpt-6-luna'],
  [4, 0.4, 20, 'gpt-5.6-sol', 'gpt-5.6'],
  [2, 0.2, 12, 'gpt-5.6-terra'],
  [0.2, 0.02, 1.2, 'gpt-5.6-luna'],
  [5, 0.5, 30, 'gpt-5.5'],
  [30, undefined, 180, 'gpt-5.5-pro', 'gpt-5.4-pro'],
  [2.5, 0.25, 15, 'gpt-5.4'],
  [0.75, 0.075, 4.5, 'gpt-5.4-mini'],
  [0.2, 0.02, 1.25, 'gpt-5.4-nano'],
  [1.75, 0.175, 14, 'gpt-5.3-codex', 'gpt-5.2', 'gpt-5.2-codex'],
  [21, undefined, 168, 'gpt-5.2-pro'],
  [1.25, 0.125, 10, 'gpt-5.1', 'gpt-5.1-codex', 'gpt-5.1-codex-max', 'gpt-5', 'gpt-5-codex'],
  [15, undefined, 120, 'gpt-5-pro'],
  [0.25, 0.025, 2, 'gpt-5-mini', 'gpt-5.1-codex-mini'],
  [0.05, 0.005, 0.4, 'gpt-5-nano'],
  [2, 0.5, 8, 'gpt-4.1', 'o3'],
  [0.4, 0.1, 1.6, 'gpt-4.1-mini'],
  [2.5, 1.25, 10, 'gpt-4o'],
  // Anthropic
  [10, 0.25, 50, 'claude-fable-5-1'],
  [10, 1, 50, 'claude-fable-5'],
  [4, 0.2, 20, 'claude-opus-5-5'],
  [5, 0.5, 25, 'claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
  [15, 1.5, 75, 'claude-opus-4-1', 'claude-opus-4'],
  [2, 0.1, 10, 'claude-sonnet-5-5'],
  [2, 0.2, 10, 'claude-sonnet-5'],
  [3, 0.3, 15, 'claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-sonnet-4'],
  [0.1, 0.01, 0.5, 'claude-haiku-5-5'],
  [1, 0.1, 5, 'claude-haiku-4-5'],
  // Google
  [2, 0.2, 12, 'gemini-3.1-pro', 'gemini-3-pro'],
  [1.5, 0.15, 9, 'gemini-3.5-flash'],
  [0.5, 0.05, 3, 'gemini-3-flash'],
  [0.25, 0.025, 1.5, 'gemini-3.1-flash-lite'],
  [1.25, 0.125, 10, 'gemini-2.5-pro'],
  [0.3, 0.03, 2.5, 'gemini-2.5-flash'],
  [0.1, 0.01, 0.4, 'gemini-2.5-flash-lite'],
]

export const LIST_PRICES: ReadonlyMap<string, ModelPrice> = new Map(
  ROWS.flatMap(([input, cachedInput, output, ...models]) =>
    models.map((model) => [model, { input, output, ...(cachedInput === undefined ? {} : { cachedInput }) }] as const),
  ),
)

/** The built-in price of a model, also if its name has a provider before it, or a date or `-preview` after it. */
export function listPriceOf(model: string): ModelPrice | undefined {
  const name = withoutProvider(model)
    .toLowerCase()
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
    .replace(/(?:-v\d+)?:\d+$/, '')
  const plain = name.replace(
    /(?:-preview)?(?:[-@](?:\d{8}|\d{4}-\d\d-\d\d|\d\d-\d\d|\d\d-\d{4}|latest|preview|0|customtools))*$/,
    '',
  )
  return LIST_PRICES.get(name) ?? LIST_PRICES.get(plain)
}

/** `openai/gpt-5.5` is `gpt-5.5` of a provider. */
export const withoutProvider = (model: string): string => model.slice(model.lastIndexOf('/') + 1)
