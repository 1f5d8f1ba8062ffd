/**
 * Bytes without `node:`, so that the readers also run in a browser or a worker. Where Node's Buffer exists it is used, because it
 * decodes and copies several times faster than the portable way.
 */
interface NodeBuffers {
  from(text: string, encoding: 'utf8' | 'latin1'): Uint8Array
  from(buffer: ArrayBufferLike, offset: number, length: number): Uint8Array & NodeBuffer
  allocUnsafe(length: number): Uint8Array
  byteLength(text: string): number
}
interface NodeBuffer {
  toString(encoding: 'utf8' | 'latin1', from: number, to: number): string
}

const node = (globalThis as { readonly Buffer?: NodeBuffers }).Buffer
const encoder = new TextEncoder()

export const NOTHING = new Uint8Array(0)

/** The same memory, as the kind of bytes that is fastest here. */
export function fast(bytes: Uint8Array): Uint8Array {
  return node === undefined || (bytes.constructor as unknown) === node
    ? bytes
    : node.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function utf8(text: string): Uint8Array {
  return node === undefined ? encoder.encode(text) : node.from(text, 'utf8')
}

export function utf8Length(text: string): number {
  return node === undefined ? encoder.encode(text).length : node.byteLength(text)
}

/** The text of `[from, to)`; what is not UTF-8 becomes U+FFFD. */
export function textOf(bytes: Uint8Array, from = 0, to = bytes.length): string {
  if (node !== undefined) return (fast(bytes) as NodeBuffer).toString('utf8', from, to)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from, to))
}

/** One character for each byte, so that places in the text are places in the bytes. */
export function latin1Of(bytes: Uint8Array, from: number, to: number): string {
  if (node !== undefined) return (fast(bytes) as NodeBuffer).toString('latin1', from, to)
  let text = ''
  for (let at = from; at < to; at += 8192) text += String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 8192)))
  return text
}

export function fromLatin1(text: string): Uint8Array {
  return node === undefined ? Uint8Array.from(text, (unit) => unit.charCodeAt(0)) : node.from(text, 'latin1')
}

/** Room whose content is undefined. */
export function room(length: number): Uint8Array {
  return node === undefined ? new Uint8Array(length) : node.allocUnsafe(length)
}

/** Copies as much of `[from, to)` as fits into `target` at `at`, and says how many bytes that was. */
export function copyInto(
  target: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  to: number = bytes.length,
): number {
  const length = Math.min(to - from, target.length - at)
  target.set(bytes.subarray(from, from + length), at)
  return length
}

/** In memory of its own, unlike `slice` of a Buffer. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return joined(bytes, NOTHING)
}

/** Both in memory of their own. */
export function joined(one: Uint8Array, two: Uint8Array): Uint8Array {
  const both = room(one.length + two.length)
  both.set(one)
  both.set(two, one.length)
  return both
}

/** Where `wanted` is found first, or -1. */
export function find(bytes: Uint8Array, wanted: Uint8Array, from = 0): number {
  const first = wanted[0]!
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    let same = 1
    while (same < wanted.length && bytes[at + same] === wanted[same]) same++
    if (same === wanted.length) return at
  }
  return -1
}
