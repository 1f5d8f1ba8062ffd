/** A line that grows beyond this is passed on in parts. */
const LONGEST_LINE = 64 * 1024
const NEWLINE = 0x0a

/** Keeps the beginning and the end of a stream of any length in bounded memory: the first quarter and the last three. */
export class Capture {
  readonly #head: Buffer
  readonly #tailMax: number
  #headBytes = 0
  #tail: Buffer = Buffer.alloc(0)
  /** Bytes that ever went to the tail. */
  #tailSeen = 0

  constructor(maxBytes: number) {
    this.#head = Buffer.allocUnsafe(Math.floor(maxBytes / 4))
    this.#tailMax = Math.max(1, maxBytes - this.#head.length)
  }

  get cut(): number {
    return Math.max(0, this.#tailSeen - this.#tailMax)
  }

  push(chunk: Buffer): void {
    const taken = chunk.copy(this.#head, this.#headBytes)
    this.#headBytes += taken
    const rest = chunk.subarray(taken)
    if (rest.length > 0) this.#pushTail(rest)
  }

  /** The tail is a ring that first grows to its full size. */
  #pushTail(bytes: Buffer): void {
    this.#makeRoom(this.#tailSeen + bytes.length)
    const kept = bytes.length > this.#tailMax ? bytes.subarray(bytes.length - this.#tailMax) : bytes
    const at = (this.#tailSeen + bytes.length - kept.length) % this.#tailMax
    const fits = kept.copy(this.#tail, at)
    if (fits < kept.length) kept.copy(this.#tail, 0, fits)
    this.#tailSeen += bytes.length
  }

  #makeRoom(bytes: number): void {
    const size = this.#tail.length
    if (bytes <= size || size === this.#tailMax) return
    const larger = Buffer.allocUnsafe(Math.min(this.#tailMax, Math.max(bytes, size * 2, LONGEST_LINE)))
    this.#tail.copy(larger, 0, 0, Math.min(size, this.#tailSeen))
    this.#tail = larger
  }

  bytes(): { head: Buffer; tail: Buffer } {
    const head = this.#head.subarray(0, this.#headBytes)
    if (this.cut === 0) return { head, tail: this.#tail.subarray(0, this.#tailSeen) }
    const start = this.#tailSeen % this.#tailMax
    return { head, tail: Buffer.concat([this.#tail.subarray(start), this.#tail.subarray(0, start)]) }
  }
}

/** Passes one of several streams on by whole lines, so that two of them never meet in the middle of one. */
export class WholeLines {
  readonly #pass: (bytes: Buffer) => void
  #pending: Buffer[] = []
  #length = 0

  constructor(pass: (bytes: Buffer) => void) {
    this.#pass = pass
  }

  write(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end > 0) {
      this.end()
      this.#pass(chunk.subarray(0, end))
    }
    if (end === chunk.length) return
    this.#pending.push(chunk.subarray(end))
    this.#length += chunk.length - end
    if (this.#length > LONGEST_LINE) this.end()
  }

  /** What was said of an unfinished line. */
  end(): void {
    for (const part of this.#pending) this.#pass(part)
    this.#pending = []
    this.#length = 0
  }
}
