import { joined, NEWLINE, NO_BYTES } from './bytes.ts'
import { DocumentSplitter } from './document.ts'
import { LineSplitter, type LineTaker, MAX_LINE } from './lines.ts'

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
