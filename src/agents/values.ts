import { grown, joined, NEWLINE, NO_BYTES } from './bytes.ts'
import { LineSplitter, type LineTaker, MAX_LINE } from './lines.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

interface DocumentTaker {
  /** One value: an element of the array, or the one object; only for the time of the call. */
  readonly value: (bytes: Uint8Array, from: number, to: number, complete: boolean) => void
  readonly tooLong: () => void
}

/**
 * Takes one JSON document apart without parsing it: of an array each element by itself, of an object the whole.
 * So an array of any length is read an event at a time, as if it had been written in lines.
 */
class DocumentSplitter {
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

/** More than this before the first JSON is no noise any more: the stream is then read line by line. */
const LONGEST_START = 64 * 1024

export interface ValueTaker {
  /** Bytes that look like one JSON object, only for the time of the call. */
  readonly value: (bytes: Uint8Array, from: number, to: number, complete: boolean) => void
  /** A line that is no JSON: stderr, a banner, a prompt. */
  readonly noise: (bytes: Uint8Array, from: number, to: number) => void
  readonly tooLong: (head: Uint8Array) => void
}

/**
 * Cuts a stream into JSON values: one a line, or one document that spreads over lines or holds all events in an array.
 * Which of the two it is, the first JSON in the stream tells; noise before, between and after does no harm.
 */
export class ValueSplitter {
  readonly #taker: ValueTaker
  readonly #lines: LineSplitter
  readonly #longest: number
  #document: DocumentSplitter | undefined
  /** What was read without it being clear yet how the JSON is laid out; nothing once lines are read. */
  #start: Uint8Array | undefined = NO_BYTES
  /** How many documents were opened; 0 when the stream was written in lines. */
  documents = 0
  /** False while a document is open. */
  closed = true

  constructor(taker: ValueTaker, longest: number = MAX_LINE) {
    this.#taker = taker
    this.#longest = longest
    const line: LineTaker['line'] = (bytes, from, to, complete) => this.#line(bytes, from, to, complete)
    this.#lines = new LineSplitter({ line, tooLong: taker.tooLong }, longest)
  }

  write(chunk: Uint8Array): void {
    let rest: Uint8Array | undefined = chunk
    while (rest !== undefined && rest.length > 0) rest = this.#step(rest, false)
  }

  end(): void {
    if (this.#start !== undefined) {
      let rest: Uint8Array | undefined = this.#step(NO_BYTES, true)
      while (rest !== undefined && rest.length > 0) rest = this.#step(rest, true)
    }
    this.#document?.end()
    this.#lines.end()
  }

  /** Hands the bytes to whoever reads at the moment; what lies behind the end of a document comes back. */
  #step(chunk: Uint8Array, ended: boolean): Uint8Array | undefined {
    if (this.#document !== undefined) {
      const behind = this.#document.write(chunk, 0)
      if (behind === -1) return undefined
      this.#document = undefined
      this.closed = true
      this.#start = NO_BYTES
      return chunk.subarray(behind)
    }
    if (this.#start === undefined) {
      this.#lines.write(chunk)
      return undefined
    }
    const start = joined(this.#start, chunk)
    const shape = shapeOf(start, ended)
    if (shape === undefined) {
      this.#start = new Uint8Array(start)
      return undefined
    }
    this.#start = undefined
    if (!shape.document) return start
    this.#lines.write(start.subarray(0, shape.at))
    this.documents++
    this.closed = false
    const { value, tooLong } = this.#taker
    this.#document = new DocumentSplitter({ value, tooLong: () => tooLong(NO_BYTES) }, this.#longest)
    return start.subarray(shape.at)
  }

  #line(bytes: Uint8Array, from: number, to: number, complete: boolean): void {
    let at = from
    while (at < to && isBlank(bytes[at]!)) at++
    if (at === to) return
    if (bytes[at] === 0x7b) this.#taker.value(bytes, at, to, complete)
    else this.#taker.noise(bytes, at, to)
  }
}

interface Shape {
  readonly document: boolean
  readonly at: number
}

/** Finds the first JSON and how it is laid out; nothing while that cannot be told yet. */
function shapeOf(bytes: Uint8Array, ended: boolean): Shape | undefined {
  for (let at = 0; at < bytes.length && at < LONGEST_START; ) {
    while (at < bytes.length && isBlank(bytes[at]!)) at++
    if (at === bytes.length) break
    const opens = bytes[at]!
    if (opens === 0x7b || opens === 0x5b) {
      let next = at + 1
      while (next < bytes.length && (bytes[next] === 0x20 || bytes[next] === 0x0d)) next++
      if (next === bytes.length && !ended) return undefined
      const newline = bytes[next] === 0x0a
      // An object in lines has its first key behind the brace; a printed one stands on a line of its own.
      if (opens === 0x7b) return { document: newline, at }
      // A bracket also opens a log line such as "[warn]", so an array must go on like one.
      if (newline || bytes[next] === 0x7b || bytes[next] === 0x5d) return { document: true, at }
    }
    const end = bytes.indexOf(NEWLINE, at)
    if (end === -1) break
    at = end + 1
  }
  return ended || bytes.length >= LONGEST_START ? { document: false, at: 0 } : undefined
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
