import { grown, joined, NEWLINE, NO_BYTES } from '../../packages/exitgate/src/agents/bytes.ts'
import { LineSplitter, type LineTaker, MAX_LINE } from './lines.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

interface DocumentTaker {
  /** One value: an element of the array, or the one object. Valid only during the call. */
  readonly value: (bytes: Uint8Array, from: number, to: number, complete: boolean) => void
  readonly tooLong: () => void
}

/**
 * Splits one JSON document without parsing it: an array into its elements, an object as a whole. So an array of any length is read
 * one event at a time.
 */
class DocumentSplitter {
  readonly #taker: DocumentTaker
  readonly #longest: number
  #kept: Uint8Array = new Uint8Array(64 * 1024)
  #length = 0
  /** The depth at which a value starts: 1 in an array, 0 for a single object. */
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

  /** Continues at `from`. Returns the index after the document's last byte, or -1 while it is open. */
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

  /** The stream ended inside the document: the open value is passed on as incomplete. */
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

/** If no JSON starts within this many bytes, the stream is read line by line. */
const MAX_START = 64 * 1024

export interface ValueTaker {
  /** Bytes that look like one JSON object. Valid only during the call. */
  readonly value: (bytes: Uint8Array, from: number, to: number, complete: boolean) => void
  /** A line that is not JSON: stderr, a banner, a prompt. */
  readonly noise: (bytes: Uint8Array, from: number, to: number) => void
  readonly tooLong: (head: Uint8Array) => void
}

/**
 * Splits a stream into JSON values: one per line, or one document over several lines, which may be an array of all events. The first
 * JSON in the stream decides. Other text before, between and after is ignored.
 */
export class ValueSplitter {
  readonly #taker: ValueTaker
  readonly #lines: LineSplitter
  readonly #longest: number
  #document: DocumentSplitter | undefined
  /** Bytes read while the layout of the JSON is still unknown; empty once lines are read. */
  #start: Uint8Array | undefined = NO_BYTES
  /** How many documents were opened; 0 if the stream has one event per line. */
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

  /** Passes the bytes to the current reader; returns the bytes after the end of a document. */
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

/** Finds the first JSON and its layout; undefined while that is unknown. */
function shapeOf(bytes: Uint8Array, ended: boolean): Shape | undefined {
  for (let at = 0; at < bytes.length && at < MAX_START; ) {
    while (at < bytes.length && isBlank(bytes[at]!)) at++
    if (at === bytes.length) break
    const opens = bytes[at]!
    if (opens === 0x7b || opens === 0x5b) {
      let next = at + 1
      while (next < bytes.length && (bytes[next] === 0x20 || bytes[next] === 0x0d)) next++
      if (next === bytes.length && !ended) return undefined
      const newline = bytes[next] === 0x0a
      // An object on one line has its first key right after the brace; in a printed one the brace is alone on its line.
      if (opens === 0x7b) return { document: newline, at }
      // A bracket also starts a log line such as "[warn]", so an array must continue like one.
      if (newline || bytes[next] === 0x7b || bytes[next] === 0x5d) return { document: true, at }
    }
    const end = bytes.indexOf(NEWLINE, at)
    if (end === -1) break
    at = end + 1
  }
  return ended || bytes.length >= MAX_START ? { document: false, at: 0 } : undefined
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
