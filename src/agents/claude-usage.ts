import { type JsonObject, numberIn, objectIn, sumOf } from './json-value.ts'

export function tokensIn(value: unknown): number | undefined {
  const usage = objectIn(value)
  return (
    numberIn(usage.total_tokens) ??
    sumOf(usage.input_tokens, usage.output_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
  )
}

export function tokensOfModels(models: JsonObject): number | undefined {
  const counts = Object.values(models).map(objectIn)
  return sumOf(
    ...counts.map((model) =>
      sumOf(model.inputTokens, model.outputTokens, model.cacheReadInputTokens, model.cacheCreationInputTokens),
    ),
  )
}
