import { utf8 } from '../../packages/exitgate/src/agents/bytes.ts'
/**
 * Finds the first of many literals in one pass over the bytes, ignoring case. It uses one automaton for all literals (Aho-Corasick):
 * one table look-up per byte, for any number of literals. From a dozen literals on, it is faster than one large regular expression
 * and faster than one indexOf per literal. Its speed does not depend on the first letters of the literals.
 */
export class LiteralFinder {
  /** Index in `literals` of the last match. */
  found = -1
  readonly #classes: Uint8Array
  readonly #table: Int16Array | Int32Array
  readonly #longest: number

  /** Lower-case, and no literal contains another: the shorter one would always match first. See `shortest`. */
  constructor(literals: readonly string[]) {
    const words = literals.map((literal) => utf8(literal))
    this.#classes = byteClasses(words)
    const width = 1 << Math.ceil(Math.log2(Math.max(2, 1 + Math.max(...this.#classes))))
    const trie = new Int32Array(width * words.reduce((most, word) => most + word.length, 1)).fill(-1)
    const ends: number[] = []
    let states = 1
    for (const word of words) {
      let state = 0
      for (const byte of word) {
        const at = state * width + this.#classes[byte]!
        if (trie[at] === -1) trie[at] = states++
        state = trie[at]!
      }
      ends.push(state)
    }
    this.#table = completed(trie, states, ends, width)
    this.#longest = words.reduce((most, word) => Math.max(most, word.length), 0)
  }

  /** Index of the last byte of the first literal that is completely in `[from, to)`, or -1. */
  find(bytes: Uint8Array, from: number, to: number): number {
    const table = this.#table
    const classes = this.#classes
    let state = 0
    for (let i = this.#skip(bytes, from, to); i < to; i++) {
      state = table[state + classes[bytes[i]!]!]!
      if (state < 0) {
        this.found = -1 - state
        return i
      }
    }
    return -1
  }

  /**
   * Where to search closely: blocks without a match are scanned at four positions at a time. Each look-up waits for the previous one,
   * so four independent ones take hardly longer than one.
   */
  #skip(bytes: Uint8Array, from: number, to: number): number {
    const table = this.#table
    const classes = this.#classes
    let at = from
    for (;;) {
      const part = Math.min(MAX_PART, (to - at - this.#longest) >> 2)
      if (part < MIN_PART) return at
      // Each of the four continues a little into the next part, for a literal across the border.
      const end = at + part + this.#longest
      let one = 0
      let two = 0
      let three = 0
      let four = 0
      for (let i = at; i < end; i++) {
        one = table[one + classes[bytes[i]!]!]!
        two = table[two + classes[bytes[i + part]!]!]!
        three = table[three + classes[bytes[i + 2 * part]!]!]!
        four = table[four + classes[bytes[i + 3 * part]!]!]!
        if ((one | two | three | four) < 0) return at
      }
      at += 4 * part
    }
  }
}

/** A quarter of a block: long enough that the overlap hardly counts, short enough that most blocks have no match. */
const MAX_PART = 1024
const MIN_PART = 48

/** Drops literals that contain another one: wherever they occur, the shorter one occurs too. */
export function shortest(literals: Iterable<string>): string[] {
  const all = [...new Set(literals)].filter((literal) => literal !== '')
  return all.filter((one) => !all.some((other) => other !== one && one.includes(other)))
}

/** Bytes that occur in no literal share class 0; upper and lower case share a class. */
function byteClasses(words: readonly Uint8Array[]): Uint8Array {
  const classes = new Uint8Array(256)
  let next = 1
  for (const word of words) {
    for (const byte of word) {
      if (classes[byte] !== 0) continue
      classes[byte] = next++
      if (byte >= 0x61 && byte <= 0x7a) classes[byte - 0x20] = classes[byte]!
    }
  }
  return classes
}

/** Gives every state a successor for every class. States are offsets into the table; a negative value is the end of a literal. */
function completed(trie: Int32Array, states: number, ends: readonly number[], width: number): Int16Array | Int32Array {
  const fallback = new Int32Array(states)
  const queue = new Int32Array(states)
  for (let head = 0, tail = 1; head < tail; head++) {
    const state = queue[head]!
    for (let at = 0; at < width; at++) {
      const next = trie[state * width + at]!
      const instead = state === 0 ? 0 : trie[fallback[state]! * width + at]!
      if (next === -1) trie[state * width + at] = instead
      else {
        fallback[next] = instead
        queue[tail++] = next
      }
    }
  }
  const literals = new Int32Array(states).fill(-1)
  ends.forEach((state, literal) => {
    literals[state] = literal
  })
  // Half the size fits into the processor's fastest cache.
  const size = states * width
  const table = size <= 0x7fff ? new Int16Array(size) : new Int32Array(size)
  for (let i = 0; i < size; i++) table[i] = literals[trie[i]!] === -1 ? trie[i]! * width : -1 - literals[trie[i]!]!
  return table
}
