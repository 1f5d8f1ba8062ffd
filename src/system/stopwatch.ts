/** Calls once when the time is used up; time during which it stands still does not count. */
export class Stopwatch {
  readonly #onEnd: () => void
  #leftMs: number
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined
  #holds = 0

  constructor(ms: number, onEnd: () => void) {
    this.#onEnd = onEnd
    this.#leftMs = Math.min(Math.max(ms, 1), 2 ** 31 - 1)
    this.#go()
  }

  #go(): void {
    this.#since = performance.now()
    this.#timer = setTimeout(this.#onEnd, this.#leftMs)
  }

  /** Stands still until `resume` was called as often as this. */
  pause(): void {
    this.#holds += 1
    if (this.#since === undefined) return
    clearTimeout(this.#timer)
    this.#leftMs = Math.max(1, this.#leftMs - (performance.now() - this.#since))
    this.#since = undefined
  }

  resume(): void {
    this.#holds -= 1
    if (this.#holds === 0) this.#go()
  }

  stop(): void {
    this.#holds = Number.POSITIVE_INFINITY
    clearTimeout(this.#timer)
  }
}
