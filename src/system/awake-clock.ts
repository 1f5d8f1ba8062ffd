/** How often the clock is read while something is measured. */
const TICK_MS = 1_000
/** Busy machines are late by a second or two; more than this between two looks was sleep. */
const LONGEST_GAP_MS = 5_000
/** A timer cannot be set further ahead. */
const LATEST = 2 ** 31 - 1

/**
 * Counts the time in which this process could run. A suspended laptop, a paused virtual machine and Ctrl+Z all stop the process
 * while some clock of the system runs on; an agent was not silent and tests were not slow in that time.
 */
export class AwakeClock {
  readonly #read: () => number
  #last: number
  #asleep = 0
  #users = 0
  #tick: NodeJS.Timeout | undefined

  constructor(read: () => number = () => performance.now()) {
    this.#read = read
    this.#last = read()
  }

  /** Milliseconds since some moment, without the time asleep. */
  now(): number {
    const now = this.#read()
    const gap = now - this.#last
    // Without regular looks a long gap says nothing.
    if (this.#users > 0 && gap > LONGEST_GAP_MS) this.#asleep += gap - TICK_MS
    this.#last = now
    return now - this.#asleep
  }

  /** Notices sleep from now on, until the returned function is called. */
  watch(): () => void {
    if (this.#users === 0) {
      this.now()
      this.#tick = setInterval(() => this.now(), TICK_MS)
      this.#tick.unref()
    }
    this.#users += 1
    return () => {
      this.#users -= 1
      if (this.#users === 0) clearInterval(this.#tick)
    }
  }

  /** Everything since the last look was sleep. */
  woke(): void {
    const now = this.#read()
    this.#asleep += now - this.#last
    this.#last = now
  }

  /** Calls after so much time awake, unless the returned function is called before. */
  after(ms: number, call: () => void): () => void {
    const due = this.now() + ms
    const unwatch = this.watch()
    let timer: NodeJS.Timeout
    const arm = (): void => {
      timer = setTimeout(look, Math.min(Math.max(due - this.now(), 1), LATEST))
    }
    const look = (): void => {
      if (this.now() < due) arm()
      else {
        stop()
        call()
      }
    }
    let over = false
    const stop = (): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      unwatch()
    }
    arm()
    return stop
  }
}

/** The clock of this process. */
export const awake = new AwakeClock()
