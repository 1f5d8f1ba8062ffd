/** Something to wait for. When it rings before anybody waits, the next wait ends at once. */
export class Bell {
  #rung = false
  #wake = (): void => {}

  readonly ring = (): void => {
    this.#rung = true
    this.#wake()
  }

  /** Until it rings, or for so many milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#rung)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = () => {}
    this.#rung = false
  }
}
