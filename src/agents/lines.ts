import { grown, NEWLINE, NO_BYTES } from '../../packages/exitgate/src/agents/bytes.ts'
/** A longer line is skipped: no message is that long, and the line would have to be stored completely. */
export const MAX_LINE = 64 * 1024 * 1024

/** How much of a skipped line is still passed on, so that the reader knows which kind of event was lost. */
const HEAD = 4096

export interface LineTaker {
  /** The line is in `bytes` at `[from, to)`, without its newline, and valid only during the call. */
  readonly line: (bytes: Uint8Array, from: number, to: number, complete: boolean) => void
  readonly tooLong: (head: Uint8Array) => void
}

/** Splits chunks into lines. It stores at most one unfinished line, and only the start of an endless one. */
export class LineSplitter {
  readonly #taker: LineTaker
  readonly #limit: number
  #carry: Uint8Array = NO_BYTES
  #carried = 0
  #skipping = false

  constructor(taker: LineTaker, limit: number = MAX_LINE) {
    this.#taker = taker
    this.#limit = limit
  }

  write(chunk: Uint8Array): void {
    let from = 0
    if (this.#skipping) {
      const newline = chunk.indexOf(NEWLINE)
      if (newline === -1) return
      this.#skipping = false
      from = newline + 1
    }
    while (from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from)
      if (newline === -1) {
        this.#keep(chunk, from)
        return
      }
      this.#finish(chunk, from, newline)
      from = newline + 1
    }
  }

  end(): void {
    if (this.#carried > 0) this.#taker.line(this.#carry, 0, this.#carried, false)
    this.#carried = 0
  }

  #finish(chunk: Uint8Array, from: number, newline: number): void {
    const length = this.#carried + newline - from
    if (length > this.#limit) {
      this.#append(chunk, from, Math.min(newline, from + HEAD))
      this.#giveUp()
    } else if (this.#carried === 0) {
      this.#taker.line(chunk, from, newline, true)
    } else {
      this.#append(chunk, from, newline)
      this.#taker.line(this.#carry, 0, this.#carried, true)
      this.#release()
    }
  }

  #keep(chunk: Uint8Array, from: number): void {
    if (this.#carried + chunk.length - from > this.#limit) {
      this.#append(chunk, from, Math.min(chunk.length, from + HEAD))
      this.#giveUp()
      this.#skipping = true
    } else {
      this.#append(chunk, from, chunk.length)
    }
  }

  #append(chunk: Uint8Array, from: number, to: number): void {
    const length = this.#carried + to - from
    if (length > this.#carry.length) {
      this.#carry = grown(
        this.#carry,
        this.#carried,
        Math.max(64 * 1024, length, Math.min(this.#limit + HEAD, this.#carry.length * 2)),
      )
    }
    this.#carry.set(chunk.subarray(from, to), this.#carried)
    this.#carried = length
  }

  #giveUp(): void {
    this.#taker.tooLong(new Uint8Array(this.#carry.subarray(0, Math.min(this.#carried, HEAD))))
    this.#release()
  }

  /** Frees the buffer of a very long line, so that it doesn't cost memory for the rest of the stream. */
  #release(): void {
    this.#carried = 0
    if (this.#carry.length > 4 * 1024 * 1024) this.#carry = NO_BYTES
  }
}
