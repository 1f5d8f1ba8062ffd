import type { TokenCounts } from './message-usage.ts'

const TYPE = '"type":"token_count"'

/**
 * What a session of Codex has used so far, from the end of its session file. Codex prints its usage only at the end of a turn, but it
 * writes the total there after each request.
 */
export function codexSessionUsage(text: string): TokenCounts | undefined {
  for (const line of text.split('\n').reverse()) {
    const total = line.includes(TYPE) ? totalIn(line) : undefined
    if (total !== undefined) return total
  }
  return undefined
}

/** An event about rate limits alone has no usage. The first line of a text may be incomplete. */
function totalIn(line: string): TokenCounts | undefined {
  try {
    const usage = JSON.parse(line)?.payload?.info?.total_token_usage
    const [input, cachedInput = 0, output] = [usage?.input_tokens, usage?.cached_input_tokens, usage?.output_tokens]
    const all = [input, cachedInput, output]
    return all.every(Number.isFinite) ? { input: input - cachedInput, cachedInput, output } : undefined
  } catch {
    return undefined
  }
}
