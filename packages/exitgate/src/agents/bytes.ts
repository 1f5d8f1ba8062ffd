const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const NO_BYTES = new Uint8Array(0)
export const NEWLINE = 0x0a

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** The text in `[from, to)`; bytes that are not UTF-8 become U+FFFD. */
export function textOf(bytes: Uint8Array, from: number, to: number): string {
  return decoder.decode(bytes.subarray(from, to))
}

/** Joins both. The result may be `added` itself, so a caller that stores it must copy it. */
export function joined(kept: Uint8Array, added: Uint8Array): Uint8Array {
  if (kept.length === 0) return added
  const all = new Uint8Array(kept.length + added.length)
  all.set(kept)
  all.set(added, kept.length)
  return all
}

/** A larger array with the first `length` bytes of this one. */
export function grown(bytes: Uint8Array, length: number, size: number): Uint8Array {
  const larger = new Uint8Array(size)
  larger.set(bytes.subarray(0, length))
  return larger
}

export function startsWith(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  if (to - from < wanted.length) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false
  return true
}

/** Whether `wanted` occurs in `[from, to)`. For short ranges: it compares at every position. */
export function includes(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  for (let at = from; at + wanted.length <= to; at++) if (startsWith(bytes, at, to, wanted)) return true
  return false
}

/**
 * Collects the first `size` bytes of a stream, or all of a shorter one, and passes them to `begin`. `pass` gets the bytes that
 * `begin` returns and every later chunk. If the complete lines so far are enough, it waits for no more: an agent may print little and
 * then work for hours.
 */
export function sampleStart(
  size: number,
  begin: (bytes: Uint8Array) => Uint8Array,
  pass: (bytes: Uint8Array) => void,
  isEnough: (lines: Uint8Array) => boolean,
): { write(chunk: Uint8Array): void; end(): void } {
  let held: Uint8Array | undefined = NO_BYTES
  const release = (bytes: Uint8Array): void => {
    held = undefined
    pass(begin(bytes))
  }
  return {
    write(chunk) {
      if (held === undefined) return pass(chunk)
      const bytes = joined(held, chunk)
      const lines = chunk.includes(NEWLINE) ? bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1) : NO_BYTES
      if (bytes.length >= size || (lines.length > 0 && isEnough(lines))) release(bytes)
      else held = new Uint8Array(bytes)
    },
    end() {
      if (held !== undefined) release(held)
    },
  }
}
