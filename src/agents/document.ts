import { grown } from './bytes.ts'
import { MAX_LINE } from './lines.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

export interface DocumentTaker {
  /** One value: an element of the array, or the one object; only for the time of the call. */
  readonly value: (bytes: Uint8Array, from: number, to: number, complete: boolean) => void
  readonly tooLong: () => void
}

/**
 * Takes one JSON document apart without parsing it: of an array each element by itself, of an object the whole.
 * So an array of any length is read an event at a time, as if it had been written in lines.
 */
export class DocumentSplitter {
  readonly #taker: DocumentTaker
  readonly #longest: number
  #kept: Uint8Array = new Uint8Array(64 * 1024)
  #length = 0
  /** Depth at which a value begins: 1 in an array, 0 for an object that stands alone. */
  #base = 0
  #depth = 0
  #inString = false
  #escaped = false
  #overlong = false
  #started = false

  constructor(taker: DocumentTaker, longest: number = MAX_LINE) {
    this.#taker = taker
    this.#longest = longest
  }

  /** Reads on from `from`; gives the index behind the document's last byte, or -1 while it is still open. */
  write(chunk: Uint8Array, from: number): number {
    let begin = from
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i]!
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (byte === BACKSLASH) this.#escaped = true
        else if (byte === QUOTE) this.#inString = false
      } else if (byte === QUOTE) {
        this.#inString = true
      } else if (byte === 0x5b || byte === 0x7b) {
        if (!this.#started) {
          this.#started = true
          this.#base = byte === 0x5b ? 1 : 0
        }
        if (this.#depth === this.#base) begin = i
        this.#depth++
      } else if (byte === 0x5d || byte === 0x7d) {
        this.#depth--
        if (this.#depth === this.#base) this.#emit(chunk, begin, i + 1)
        if (this.#depth <= 0) return i + 1
      }
    }
    if (this.#depth > this.#base) this.#keep(chunk, begin, chunk.length)
    return -1
  }

  /** The stream ended inside the document: what there is of the open value is handed over as incomplete. */
  end(): void {
    if (this.#length > 0 && !this.#overlong) this.#taker.value(this.#kept, 0, this.#length, false)
  }

  #emit(chunk: Uint8Array, from: number, to: number): void {
    if (this.#length === 0 && !this.#overlong && to - from <= this.#longest) {
      this.#taker.value(chunk, from, to, true)
      return
    }
    this.#keep(chunk, from, to)
    if (this.#overlong) this.#taker.tooLong()
    else this.#taker.value(this.#kept, 0, this.#length, true)
    this.#length = 0
    this.#overlong = false
    if (this.#kept.length > 4 * 1024 * 1024) this.#kept = new Uint8Array(64 * 1024)
  }

  #keep(chunk: Uint8Array, from: number, to: number): void {
    const length = this.#length + to - from
    if (this.#overlong || length > this.#longest) {
      this.#overlong = true
      this.#length = 0
      return
    }
    if (length > this.#kept.length) {
      this.#kept = grown(this.#kept, this.#length, Math.max(length, Math.min(this.#longest, this.#kept.length * 2)))
    }
    this.#kept.set(chunk.subarray(from, to), this.#length)
    this.#length = length
  }
}
