/**
 * A number of 64 bits for some bytes, in hex: whatever chance does to them, it changes. It is no hash and keeps nobody out, but it
 * takes a tenth of the time, which counts where SHA-256 would be computed in the interpreter.
 */
export function checksum(bytes: Uint8Array): string {
  const words = new Int32Array((bytes.length + 3) >>> 2)
  new Uint8Array(words.buffer).set(bytes)
  let a = 0x811c9dc5 | 0
  let b = bytes.length | 0
  for (let i = 0; i < words.length; i++) {
    a = Math.imul(a ^ words[i]!, 0x01000193)
    b = Math.imul(b ^ words[i]! ^ (a >>> 15), 0x85ebca6b)
  }
  return [a ^ (a >>> 16), b ^ (b >>> 13)].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
