/** Tokens of one model. Cached input is not part of `input`. */
export interface TokenCounts {
  readonly input: number
  readonly cachedInput: number
  readonly output: number
}

/** Sub-agents work at the same time, so events of several messages alternate. */
const REMEMBERED = 100

/** Adds up the counts of single messages. Several events of one message repeat its counts, with more of them each time. */
export class MessageUsage {
  readonly #recent = new Map<string, TokenCounts>()
  /** All tokens so far; undefined without any count. */
  tokens: number | undefined

  /** What this event adds to the counts of earlier ones. */
  add(message: string | undefined, counts: TokenCounts): TokenCounts {
    const before = message === undefined ? undefined : this.#recent.get(message)
    const most = (name: keyof TokenCounts): number => Math.max(counts[name], before?.[name] ?? 0)
    const now = { input: most('input'), cachedInput: most('cachedInput'), output: most('output') }
    if (message !== undefined) this.#remember(message, now)
    const added = (name: keyof TokenCounts): number => now[name] - (before?.[name] ?? 0)
    const more = { input: added('input'), cachedInput: added('cachedInput'), output: added('output') }
    this.tokens = (this.tokens ?? 0) + more.input + more.cachedInput + more.output
    return more
  }

  #remember(message: string, counts: TokenCounts): void {
    this.#recent.delete(message)
    this.#recent.set(message, counts)
    if (this.#recent.size <= REMEMBERED) return
    const [oldest] = this.#recent.keys()
    if (oldest !== undefined) this.#recent.delete(oldest)
  }
}
