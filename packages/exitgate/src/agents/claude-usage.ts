import type { TokenCounts } from './message-usage.ts'

type Fields = Readonly<Record<string, unknown>>

const numbersOf = (value: unknown, names: readonly string[]): readonly (number | undefined)[] => {
  const fields = (value ?? {}) as Fields
  return names.map((name) => (Number.isFinite(fields[name]) ? Number(fields[name]) : undefined))
}

const sumOf = (numbers: readonly (number | undefined)[]): number | undefined =>
  numbers.every((each) => each === undefined) ? undefined : numbers.reduce<number>((sum, each) => sum + (each ?? 0), 0)

const IN_MESSAGE = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens']
const OF_MODEL = ['inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens']

/** The counts of one message of Claude. */
export function claudeCounts(usage: unknown): TokenCounts | undefined {
  const found = numbersOf(usage, IN_MESSAGE)
  const [input = 0, created = 0, cachedInput = 0, output = 0] = found
  return sumOf(found) === undefined ? undefined : { input: input + created, cachedInput, output }
}

/** The tokens of a result: of all its models, with sub-agents, or else those of this result alone. */
export function claudeTokens(modelUsage: unknown, before: number | undefined, usage: unknown): number | undefined {
  const models = Object.values((modelUsage ?? {}) as Fields).map((each) => sumOf(numbersOf(each, OF_MODEL)))
  const [total] = numbersOf(usage, ['total_tokens'])
  return sumOf(models) ?? sumOf([before, total ?? sumOf(numbersOf(usage, IN_MESSAGE))])
}
