/**
 * SHA-256 in plain code. Loading node:crypto costs more than a tenth of a bare start of Node, and one decision hashes a few
 * thousand bytes only. Held against node:crypto by a test.
 */
export function sha256(bytes: Uint8Array): string {
  const state = Uint32Array.from(START)
  const padded = new Uint8Array(((bytes.length + 72) >>> 6) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000))
  view.setUint32(padded.length - 4, bytes.length << 3)
  const words = new Uint32Array(64)
  for (let at = 0; at < padded.length; at += 64) block(state, words, view, at)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

function block(state: Uint32Array, w: Uint32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + i * 4)
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!
    const y = w[i - 2]!
    w[i] =
      (w[i - 16]! + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + w[i - 7]! + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10))) | 0
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i]! + w[i]!) | 0
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = state[i]! + word
}

const turn = (x: number, n: number): number => (x >>> n) | (x << (32 - n))

/** The first 32 bits of the fractional parts of the square and cube roots of the first primes, as the standard says. */
const primes: number[] = []
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
const fraction = (x: number): number => ((x - Math.floor(x)) * 0x100000000) | 0
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUNDS = primes.map((prime) => fraction(Math.cbrt(prime)))
