/** How often the clock is read during a measurement. */
const TICK_MS = 1_000
/** Busy machines are late by a second or two. A longer gap between two readings means the machine slept. */
const LONGEST_GAP_MS = 5_000
/** The longest delay a timer accepts. */
const LATEST = 2 ** 31 - 1

/**
 * Measures the time in which this process could run. A suspended laptop, a paused virtual machine and Ctrl+Z stop the process while
 * the system clock continues. That time must not count as a silent agent or slow tests.
 */
export class AwakeClock {
  readonly #read: () => number
  #last: number
  #asleep = 0
  #users = 0
  #tick: NodeJS.Timeout | undefined

  /** `performance.now()` tells the same time, but Node would load a module for it. */
  constructor(read: () => number = () => Number(process.hrtime.bigint()) / 1e6) {
    this.#read = read
    this.#last = read()
  }

  /** Milliseconds since an arbitrary moment, without the time asleep. */
  now(): number {
    const now = this.#read()
    const gap = now - this.#last
    // Without regular readings, a long gap means nothing.
    if (this.#users > 0 && gap > LONGEST_GAP_MS) this.#asleep += gap - TICK_MS
    this.#last = now
    return now - this.#asleep
  }

  /** Detects sleep from now on, until the returned function is called. */
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

  /** Counts everything since the last reading as sleep. */
  woke(): void {
    const now = this.#read()
    this.#asleep += now - this.#last
    this.#last = now
  }

  /** Calls back after this much time awake, unless the returned function is called first. */
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
