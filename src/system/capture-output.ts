/** A longer line is passed on in parts. */
const LONGEST_LINE = 64 * 1024
const NEWLINE = 0x0a

/** Keeps the first quarter and the last three quarters of a stream's limit, in bounded memory. */
export class Capture {
  readonly #head: Buffer
  readonly #tailMax: number
  #headBytes = 0
  #tail: Buffer | undefined
  /** Total number of bytes written to the tail. */
  #tailSeen = 0

  constructor(maxBytes: number) {
    this.#head = Buffer.allocUnsafe(Math.floor(maxBytes / 4))
    this.#tailMax = Math.max(1, maxBytes - this.#head.length)
  }

  push(chunk: Buffer): void {
    const taken = chunk.copy(this.#head, this.#headBytes)
    this.#headBytes += taken
    const rest = chunk.subarray(taken)
    if (rest.length > 0) this.#pushTail(rest)
  }

  /** The tail is a ring buffer, allocated at full size: growing it would copy, and untouched memory costs nothing. */
  #pushTail(bytes: Buffer): void {
    this.#tail ??= Buffer.allocUnsafe(this.#tailMax)
    const kept = bytes.length > this.#tailMax ? bytes.subarray(bytes.length - this.#tailMax) : bytes
    const at = (this.#tailSeen + bytes.length - kept.length) % this.#tailMax
    const fits = kept.copy(this.#tail, at)
    if (fits < kept.length) kept.copy(this.#tail, 0, fits)
    this.#tailSeen += bytes.length
  }

  /** Both ends. If the stream was too long, at most `cutTo` bytes. */
  bytes(cutTo: number): { head: Buffer; tail: Buffer; cut: number } {
    const head = this.#head.subarray(0, this.#headBytes)
    const tail = this.#tail ?? Buffer.alloc(0)
    if (this.#tailSeen <= this.#tailMax) return { head, tail: tail.subarray(0, this.#tailSeen), cut: 0 }
    const left = head.subarray(0, Math.floor(cutTo / 4))
    const right = Math.min(this.#tailMax, Math.max(1, cutTo - left.length))
    const start = this.#tailSeen % this.#tailMax
    const older = tail.subarray(Math.min(start + this.#tailMax - right, this.#tailMax))
    const newer = tail.subarray(Math.max(0, start - right), start)
    const cut = this.#headBytes + this.#tailSeen - left.length - right
    return { head: left, tail: Buffer.concat([older, newer]), cut }
  }
}

/** Forwards one of several streams in complete lines, so that their output never mixes within a line. */
export class LineForwarder {
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

  /** Flushes an unfinished line. */
  end(): void {
    for (const part of this.#pending) this.#pass(part)
    this.#pending = []
    this.#length = 0
  }
}
