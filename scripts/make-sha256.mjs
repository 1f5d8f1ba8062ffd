// Assembles the WebAssembly module of src/system/sha256.ts and prints it as base64. A test compares the two.

const STATE = 0
const CONSTANTS = 256
const WORDS = 512
const MESSAGE = 1024
const PAGES = 2

// biome-ignore format: a table
const [I32, LOOP, END, BR_IF, GET, SET, TEE, LOAD, STORE, CONST, LESS, ADD, AND, XOR, SHR, ROTR] =
  [0x7f, 0x03, 0x0b, 0x0d, 0x20, 0x21, 0x22, 0x28, 0x36, 0x41, 0x49, 0x6a, 0x71, 0x73, 0x76, 0x78]
const NO_RESULT = 0x40
const MEMORY_COPY = [0xfc, 10, 0, 0]

const unsigned = (n) => (n < 0x80 ? [n] : [(n & 0x7f) | 0x80, ...unsigned(n >>> 7)])
const signed = (n) => (n >= -64 && n < 64 ? [n & 0x7f] : [(n & 0x7f) | 0x80, ...signed(n >> 7)])
const vector = (items) => [...unsigned(items.length), ...items.flat()]
const section = (id, bytes) => [id, ...vector(bytes.flat())]
const text = (name) => vector([...Buffer.from(name)])

// The parameter is the end of the message in memory. The others are variables: the eight words of the state, ...
const [end, a, b, c, d, e, f, g, h, at, i, x] = Array.from({ length: 12 }, (_, n) => n)
const eight = [a, b, c, d, e, f, g, h]

const get = (local) => [GET, local]
const set = (local, value) => [...value, SET, local]
const number = (n) => [CONST, ...signed(n)]
const word = (base, offset) => [...base, LOAD, 2, ...unsigned(offset)]
const keep = (base, offset, value) => [...base, ...value, STORE, 2, ...unsigned(offset)]
const all =
  (operator) =>
  (first, ...more) => [...first, ...more.flatMap((value) => [...value, operator])]
const sum = all(ADD)
const xor = all(XOR)
const and = all(AND)
const rotated = (value, by) => [...value, ...number(by), ROTR]
const shifted = (value, by) => [...value, ...number(by), SHR]
/** Repeats the body with a variable that grows by a step until a limit. */
const repeat = (local, step, limit, body) => [
  ...[LOOP, NO_RESULT, ...body],
  ...[...get(local), ...number(step), ADD, TEE, local, ...limit, LESS, BR_IF, 0, END],
]

/** σ0 and σ1 of the standard, of the word at an offset. */
const small = (offset, [r, s, t]) => [
  ...set(x, word(get(i), offset)),
  ...xor(rotated(get(x), r), rotated(get(x), s), shifted(get(x), t)),
]
const large = (local, turns) => xor(...turns.map((by) => rotated(get(local), by)))
const choose = xor(and(get(e), xor(get(f), get(g))), get(g))
const majority = xor(and(get(a), xor(get(b), get(c))), and(get(b), get(c)))

const block = [
  ...[...number(WORDS), ...get(at), ...number(64), ...MEMORY_COPY],
  ...set(i, number(64)),
  ...repeat(
    i,
    4,
    number(256),
    keep(
      get(i),
      WORDS,
      sum(
        word(get(i), WORDS - 64),
        small(WORDS - 60, [7, 18, 3]),
        word(get(i), WORDS - 28),
        small(WORDS - 8, [17, 19, 10]),
      ),
    ),
  ),
  ...eight.flatMap((local, n) => set(local, word(number(STATE), n * 4))),
  ...set(i, number(0)),
  ...repeat(i, 4, number(256), [
    ...set(x, sum(get(h), large(e, [6, 11, 25]), choose, word(get(i), CONSTANTS), word(get(i), WORDS))),
    // The new first word needs the old ones, so it waits on the stack.
    ...sum(get(x), large(a, [2, 13, 22]), majority),
    ...[set(h, get(g)), set(g, get(f)), set(f, get(e)), set(e, sum(get(d), get(x)))].flat(),
    ...[set(d, get(c)), set(c, get(b)), set(b, get(a)), [SET, a]].flat(),
  ]),
  ...eight.flatMap((local, n) => keep(number(STATE), n * 4, sum(word(number(STATE), n * 4), get(local)))),
]
const body = [...set(at, number(MESSAGE)), ...repeat(at, 64, get(end), block), END]
const code = [...vector([[11, I32]]), ...body]

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function constants() {
  const primes = []
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  const words = primes.map((prime) => cubeRoot(BigInt(prime) << 96n) & 0xffff_ffffn)
  return [...Buffer.from(Uint32Array.from(words, Number).buffer)]
}

/** Rounded down. */
function cubeRoot(n) {
  let root = 0n
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) if ((root + bit) ** 3n <= n) root += bit
  return root
}

export const sha256Module = Buffer.from([
  ...[0x00, ...Buffer.from('asm'), 1, 0, 0, 0],
  ...section(1, vector([[0x60, ...vector([I32]), ...vector([])]])),
  ...section(3, vector([0])),
  ...section(5, vector([[0x00, PAGES]])),
  ...section(
    7,
    vector([
      [...text('memory'), 2, 0],
      [...text('hash'), 0, 0],
    ]),
  ),
  ...section(10, vector([vector(code)])),
  ...section(11, vector([[0x00, ...number(CONSTANTS), END, ...vector(constants())]])),
]).toString('base64')

if (process.argv[1] === import.meta.filename) console.log(sha256Module)
