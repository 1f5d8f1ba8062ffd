/** A wake-up call to wait for. If it comes before the wait, the next wait ends at once. */
export class Wakeup {
  #isTriggered = false
  #wake = (): void => {}

  readonly trigger = (): void => {
    this.#isTriggered = true
    this.#wake()
  }

  /** Waits until it rings, or at most `ms` milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#isTriggered)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = () => {}
    this.#isTriggered = false
  }
}
