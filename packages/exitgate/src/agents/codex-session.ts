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

/** What its own sandbox says if it can't start: bubblewrap in bubblewrap, or without the right to make namespaces. */
const SANDBOX = /(?:^|\n)((?:bwrap|codex-linux-sandbox|sandbox-exec): .+)/

/** Why no command of this session could run, if its sandbox never started. Codex prints nothing about such commands. */
export function codexSandboxError(text: string): string | undefined {
  const outputs = text.split('\n').flatMap((line) => (line.includes(OUTPUT) ? [outputIn(line)] : []))
  const errors = outputs.map((output) => SANDBOX.exec(output)?.[1])
  return errors.every((error) => error !== undefined) ? errors.at(-1)?.slice(0, 200) : undefined
}

const OUTPUT = '"type":"function_call_output"'

function outputIn(line: string): string {
  try {
    const output = JSON.parse(line)?.payload?.output
    return typeof output === 'string' ? output : ''
  } catch {
    return ''
  }
}
