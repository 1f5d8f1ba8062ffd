import { type JsonObject, numberIn, objectIn, sumOf } from './json-value.ts'

/** The usage of a Claude run: from its results, or from its messages until a result comes. */
export class ClaudeUsage {
  #reported: number | undefined
  #before = 0
  #message: { readonly id: string | undefined; tokens: number } | undefined

  /** Events of one message repeat its count. */
  message(id: string | undefined, tokens: number | undefined): void {
    if (tokens === undefined) return
    if (id !== undefined && this.#message?.id === id) {
      this.#message.tokens = Math.max(tokens, this.#message.tokens)
    } else {
      this.#before += this.#message?.tokens ?? 0
      this.#message = { id, tokens }
    }
  }

  /** The counts per model cover the whole process with its sub-agents, as the cost does; the other count covers only this result. */
  result(event: JsonObject): void {
    this.#reported = tokensOfModels(objectIn(event.modelUsage)) ?? sumOf(this.#reported, tokensIn(event.usage))
  }

  get tokens(): number | undefined {
    return this.#reported ?? (this.#message === undefined ? undefined : this.#before + this.#message.tokens)
  }
}

export function tokensIn(value: unknown): number | undefined {
  const usage = objectIn(value)
  return (
    numberIn(usage.total_tokens) ??
    sumOf(usage.input_tokens, usage.output_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
  )
}

function tokensOfModels(models: JsonObject): number | undefined {
  const counts = Object.values(models).map(objectIn)
  return sumOf(
    ...counts.map((model) =>
      sumOf(model.inputTokens, model.outputTokens, model.cacheReadInputTokens, model.cacheCreationInputTokens),
    ),
  )
}
