import { PHRASES } from '../core/signals/phrases.ts'
import { NEWLINE, textOf, utf8 } from './bytes.ts'
import { LiteralFinder, shortest } from './finder.ts'

const MOST_LINES = 1000
const LONGEST_LINE = 2000

/** A literal that stands in so many lines without its phrase is a word like any other, and no longer worth looking at. */
const MOST_TRIES = 2000

/** Passing over a literal that is done with costs little, making a new finder without it as much as so many of them. */
const MOST_IN_VAIN = 20_000

/** A phrase that is still looked for, and how many lines with it are still wanted. */
interface Wanted {
  readonly pattern: RegExp
  wanted: number
}

/** A literal, the phrases that cannot stand without it, and how often it stood there for nothing. */
interface Watched {
  readonly literal: string
  /** None: it is not looked for any more. */
  phrases: readonly Wanted[]
  tries: number
}

/**
 * Lines that came before the final words and in which a phrase stands. They are hints, and which phrases there are matters, not how
 * often: so each phrase keeps its first few lines, and what was found often enough is not searched for any more.
 */
export class EarlierLines {
  readonly #lines: string[] = []
  #watched: Watched[] | undefined
  #finder: LiteralFinder | undefined
  #hit: Watched | undefined
  /** Times a literal was met that nothing is looked for with any more. */
  #inVain = 0

  addText(text: string): void {
    const bytes = utf8(text)
    this.addLines(bytes, 0, bytes.length)
  }

  /** Whether something that is still looked for may stand in these bytes. */
  mayContainPhrase(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#next(bytes, from, to) !== -1
  }

  /** Looks through `[from, to)`; tells whether a line was kept. */
  addLines(bytes: Uint8Array, from: number, to: number): boolean {
    let kept = false
    let lineEnd = from
    for (let hit = this.#next(bytes, from, to); hit !== -1; ) {
      const watched = this.#hit!
      if (hit >= lineEnd) {
        const newline = bytes.indexOf(NEWLINE, hit)
        lineEnd = newline === -1 || newline > to ? to : newline
      }
      const taken = this.#take(
        watched,
        excerpt(bytes, Math.max(from, bytes.lastIndexOf(NEWLINE, hit) + 1), hit, lineEnd),
      )
      kept ||= taken
      hit = this.#next(bytes, taken ? lineEnd + 1 : hit - watched.literal.length + 2, to)
    }
    return kept
  }

  lines(): readonly string[] {
    return this.#lines
  }

  /** The end of the next literal that is still looked for, which is then in `#hit`; or -1. */
  #next(bytes: Uint8Array, from: number, to: number): number {
    let at = from
    while (at < to) {
      const finder = this.#current()
      const hit = finder.find(bytes, at, to)
      if (hit === -1) return -1
      this.#hit = this.#watched![finder.found]!
      if (this.#hit.phrases.length > 0) return hit
      this.#inVain++
      at = hit - this.#hit.literal.length + 2
    }
    return -1
  }

  #take(watched: Watched, line: string): boolean {
    let stands = false
    for (const phrase of watched.phrases) {
      if (phrase.wanted === 0 || !phrase.pattern.test(line)) continue
      phrase.wanted--
      stands = true
    }
    if (stands && this.#lines.length < MOST_LINES) this.#lines.push(line)
    if (!stands) watched.tries++
    if (watched.tries > MOST_TRIES || watched.phrases.every(({ wanted }) => wanted === 0)) watched.phrases = []
    return stands
  }

  /**
   * Everything is made on first use: a short answer has nothing before it and does not pay for it. A new finder without the literals
   * that are done with is made only when those have been met often enough to be worth it.
   */
  #current(): LiteralFinder {
    if (this.#finder === undefined || this.#inVain > MOST_IN_VAIN) {
      this.#inVain = 0
      this.#watched = (this.#watched ?? watchedPhrases()).filter(({ phrases }) => phrases.length > 0)
      this.#finder = new LiteralFinder(this.#watched.map(({ literal }) => literal))
    }
    return this.#finder
  }
}

function watchedPhrases(): Watched[] {
  const each = Math.floor(MOST_LINES / PHRASES.length)
  const phrases = PHRASES.map(({ pattern, literals }) => ({
    literals,
    // Asked for one line at a time, a pattern must not remember where it stopped in another.
    phrase: { pattern: new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')), wanted: each },
  }))
  return shortest(PHRASES.flatMap(({ literals }) => literals)).map((literal) => ({
    literal,
    phrases: phrases
      .filter(({ literals }) => literals.some((one) => one.includes(literal)))
      .map(({ phrase }) => phrase),
    tries: 0,
  }))
}

/** The line around the literal that ends at `hit`: whole if it is short, else its beginning, else what surrounds the literal. */
function excerpt(bytes: Uint8Array, start: number, hit: number, end: number): string {
  let from = hit - start < LONGEST_LINE ? start : hit - LONGEST_LINE / 2
  while (from > start && (bytes[from]! & 0xc0) === 0x80) from++
  const line = textOf(bytes, from, Math.min(end, from + 4 * LONGEST_LINE))
  return line.endsWith('\r') ? line.slice(0, Math.min(LONGEST_LINE, line.length - 1)) : line.slice(0, LONGEST_LINE)
}
