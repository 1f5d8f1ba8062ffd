/** Passes one interrupt on to many. Node takes more than ten who listen to the same signal for a leak, and says so on stderr. */
export class Interrupted {
  readonly #signal: AbortSignal | undefined
  readonly #told: (() => void)[] = []

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
    signal?.addEventListener('abort', this.#pass, { once: true })
  }

  /** Calls at once when it has happened already. */
  tell(call: () => void): void {
    if (this.#signal?.aborted === true) call()
    else this.#told.push(call)
  }

  stop(): void {
    this.#signal?.removeEventListener('abort', this.#pass)
  }

  readonly #pass = (): void => {
    for (const call of this.#told.splice(0)) call()
  }
}
