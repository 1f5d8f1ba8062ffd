import { sampleStart, utf8 } from '../../packages/exitgate/src/agents/bytes.ts'

/** The encoding, as far as the first bytes show it. */
export type Encoding = 'utf8' | 'utf16le' | 'utf16be'

const SAMPLE = 1024

/** Converts any encoding to UTF-8 without a byte order mark. Some shells redirect as UTF-16. */
export function toUtf8(pass: (bytes: Uint8Array) => void): { write(chunk: Uint8Array): void; end(): void } {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const start = sampleStart(
    SAMPLE,
    (bytes) => {
      const encoding = encodingOf(bytes.subarray(0, SAMPLE))
      if (encoding !== 'utf8') decoder = new TextDecoder(encoding === 'utf16be' ? 'utf-16be' : 'utf-16le')
      return bytes.subarray(markLength(bytes, encoding))
    },
    (bytes) => {
      if (bytes.length > 0) pass(decoder === undefined ? bytes : utf8(decoder.decode(bytes, { stream: true })))
    },
    // UTF-16 has a zero in every line end.
    (lines) => encodingOf(lines) === 'utf8' && !lines.includes(0),
  )
  return {
    write: start.write,
    end() {
      start.end()
      const rest = decoder?.decode() ?? ''
      if (rest !== '') pass(utf8(rest))
    },
  }
}

/** A byte order mark decides. Without one, UTF-16 text is recognized by a zero in every other byte. */
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
