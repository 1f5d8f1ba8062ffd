/**
 * SHA-256 in plain JavaScript. Loading node:crypto takes more than a tenth of Node's startup time, and one decision hashes only a
 * few thousand bytes. It runs in the interpreter, where calls are expensive, so rotations are inlined. Every sum is truncated to 32
 * bits, because larger numbers would be heap objects. A test compares it with node:crypto.
 */
export function sha256(bytes: Uint8Array): string {
  const padded = Buffer.alloc(((bytes.length + 72) >>> 6) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  padded.writeUInt32BE(Math.floor(bytes.length / 0x20000000), padded.length - 8)
  padded.writeInt32BE(bytes.length << 3, padded.length - 4)
  padded.swap32()
  const message = new Int32Array(padded.buffer, padded.byteOffset, padded.length / 4)
  const state = Int32Array.from(START)
  const words = new Int32Array(64)
  for (let at = 0; at < message.length; at += 16) {
    words.set(message.subarray(at, at + 16))
    block(state, words)
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

function block(state: Int32Array, w: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!
    const y = w[i - 2]!
    const first = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const second = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[i] = (((w[i - 16]! + first) | 0) + ((w[i - 7]! + second) | 0)) | 0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  // Eight unrolled rounds: the variables change roles instead of values. The long body also keeps V8 from optimising the function,
  // which for a few thousand bytes took longer than the hashing.
  // biome-ignore format: a table
  for (let i = 0; i < 64; i += 8) {
    h = (((h + (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7)))) | 0) + ((((e & f) ^ (~e & g)) + ((ROUNDS[i]! + w[i]!) | 0)) | 0)) | 0
    d = (d + h) | 0
    h = (((h + (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10)))) | 0) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    g = (((g + (((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7)))) | 0) + ((((d & e) ^ (~d & f)) + ((ROUNDS[i + 1]! + w[i + 1]!) | 0)) | 0)) | 0
    c = (c + g) | 0
    g = (((g + (((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10)))) | 0) + ((h & a) ^ (h & b) ^ (a & b))) | 0
    f = (((f + (((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7)))) | 0) + ((((c & d) ^ (~c & e)) + ((ROUNDS[i + 2]! + w[i + 2]!) | 0)) | 0)) | 0
    b = (b + f) | 0
    f = (((f + (((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10)))) | 0) + ((g & h) ^ (g & a) ^ (h & a))) | 0
    e = (((e + (((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7)))) | 0) + ((((b & c) ^ (~b & d)) + ((ROUNDS[i + 3]! + w[i + 3]!) | 0)) | 0)) | 0
    a = (a + e) | 0
    e = (((e + (((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10)))) | 0) + ((f & g) ^ (f & h) ^ (g & h))) | 0
    d = (((d + (((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7)))) | 0) + ((((a & b) ^ (~a & c)) + ((ROUNDS[i + 4]! + w[i + 4]!) | 0)) | 0)) | 0
    h = (h + d) | 0
    d = (((d + (((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10)))) | 0) + ((e & f) ^ (e & g) ^ (f & g))) | 0
    c = (((c + (((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7)))) | 0) + ((((h & a) ^ (~h & b)) + ((ROUNDS[i + 5]! + w[i + 5]!) | 0)) | 0)) | 0
    g = (g + c) | 0
    c = (((c + (((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10)))) | 0) + ((d & e) ^ (d & f) ^ (e & f))) | 0
    b = (((b + (((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7)))) | 0) + ((((g & h) ^ (~g & a)) + ((ROUNDS[i + 6]! + w[i + 6]!) | 0)) | 0)) | 0
    f = (f + b) | 0
    b = (((b + (((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10)))) | 0) + ((c & d) ^ (c & e) ^ (d & e))) | 0
    a = (((a + (((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7)))) | 0) + ((((f & g) ^ (~f & h)) + ((ROUNDS[i + 7]! + w[i + 7]!) | 0)) | 0)) | 0
    e = (e + a) | 0
    a = (((a + (((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10)))) | 0) + ((b & c) ^ (b & d) ^ (c & d))) | 0
  }
  state[0] = (state[0]! + a) | 0
  state[1] = (state[1]! + b) | 0
  state[2] = (state[2]! + c) | 0
  state[3] = (state[3]! + d) | 0
  state[4] = (state[4]! + e) | 0
  state[5] = (state[5]! + f) | 0
  state[6] = (state[6]! + g) | 0
  state[7] = (state[7]! + h) | 0
}

/** The constants of the standard: the first 32 bits of the fractional parts of roots of the first primes. */
// biome-ignore format: a table
const START = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])
// biome-ignore format: a table
const ROUNDS = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])
