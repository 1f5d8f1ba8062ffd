import { joined, NO_BYTES, utf8 } from './bytes.ts'
/** What the first bytes tell about how the rest is written. */
export type Encoding = 'utf8' | 'utf16le' | 'utf16be'

const SAMPLE = 1024

/** Turns whatever encoding the output has into UTF-8 without a byte order mark. Some shells redirect into UTF-16. */
export class ToUtf8 {
  readonly #pass: (bytes: Uint8Array) => void
  #sample: Uint8Array | undefined = NO_BYTES
  #decoder: InstanceType<typeof TextDecoder> | undefined

  constructor(pass: (bytes: Uint8Array) => void) {
    this.#pass = pass
  }

  write(chunk: Uint8Array): void {
    if (this.#sample === undefined) {
      this.#on(chunk)
      return
    }
    const sample = joined(this.#sample, chunk)
    if (sample.length < SAMPLE) this.#sample = new Uint8Array(sample)
    else this.#begin(sample)
  }

  end(): void {
    if (this.#sample !== undefined) this.#begin(this.#sample)
    const rest = this.#decoder?.decode() ?? ''
    if (rest !== '') this.#pass(utf8(rest))
  }

  #begin(bytes: Uint8Array): void {
    this.#sample = undefined
    const encoding = encodingOf(bytes.subarray(0, SAMPLE))
    if (encoding !== 'utf8') this.#decoder = new TextDecoder(encoding === 'utf16be' ? 'utf-16be' : 'utf-16le')
    this.#on(bytes.subarray(markLength(bytes, encoding)))
  }

  #on(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#pass(this.#decoder === undefined ? chunk : utf8(this.#decoder.decode(chunk, { stream: true })))
  }
}

/** A mark decides; else text in UTF-16 gives itself away by a zero in every other byte. */
export function encodingOf(sample: Uint8Array): Encoding {
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf16le'
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf16be'
  const zeros = [0, 0]
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2]!++
  })
  const [even, odd] = zeros as [number, number]
  const half = Math.floor(sample.length / 2)
  if (half < 2) return 'utf8'
  if (odd >= half * 0.6 && even <= half * 0.05) return 'utf16le'
  if (even >= half * 0.6 && odd <= half * 0.05) return 'utf16be'
  return 'utf8'
}

function markLength(bytes: Uint8Array, encoding: Encoding): number {
  if (encoding === 'utf8') return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const mark = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  return mark ? 2 : 0
}
