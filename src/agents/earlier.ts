import { NEWLINE, textOf, utf8 } from '../../packages/exitgate/src/agents/bytes.ts'
import { PHRASES } from '../core/signals/phrases.ts'
import { LiteralFinder, shortest } from './finder.ts'

const MAX_LINES = 1000
const MAX_LINE = 2000

/** A literal found in this many lines without its phrase is too common, and is no longer searched for. */
const MAX_TRIES = 2000

/** Skipping a finished literal is cheap. Building a new finder without it costs as much as this many skips. */
const MAX_SKIPS = 20_000

/** A phrase that is still searched for, and how many more lines to store. */
interface Wanted {
  readonly pattern: RegExp
  wanted: number
}

/** A literal, the phrases that contain it, and how often it was found without one of them. */
interface Watched {
  readonly literal: string
  /** Empty: it is no longer searched for. */
  phrases: readonly Wanted[]
  tries: number
}

/**
 * Lines before the final message that contain a phrase. It matters which phrases occur, not how often. So each phrase stores its
 * first few lines, and is then no longer searched for.
 */
export class EarlierLines {
  readonly #lines: string[] = []
  #watched: Watched[] | undefined
  #finder: LiteralFinder | undefined
  #hit: Watched | undefined
  /** How often a finished literal was found. */
  #inVain = 0

  addText(text: string): void {
    const bytes = utf8(text)
    this.addLines(bytes, 0, bytes.length)
  }

  /** Whether these bytes may contain something that is still searched for. */
  mayContainPhrase(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#next(bytes, from, to) !== -1
  }

  /** Searches `[from, to)`; returns whether a line was stored. */
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

  /** The end of the next literal that is still searched for, or -1. The literal is then in `#hit`. */
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
    if (stands && this.#lines.length < MAX_LINES) this.#lines.push(line)
    if (!stands) watched.tries++
    if (watched.tries > MAX_TRIES || watched.phrases.every(({ wanted }) => wanted === 0)) watched.phrases = []
    return stands
  }

  /**
   * Everything is created on first use, because a short answer doesn't need it. All readers start with the same finder. A new one
   * without the finished literals is built only after they were found often enough.
   */
  #current(): LiteralFinder {
    if (this.#finder === undefined) {
      this.#watched = watchedPhrases()
      this.#finder = start().finder
    } else if (this.#inVain > MAX_SKIPS) {
      this.#inVain = 0
      this.#watched = this.#watched!.filter(({ phrases }) => phrases.length > 0)
      this.#finder = new LiteralFinder(this.#watched.map(({ literal }) => literal))
    }
    return this.#finder
  }
}

/** What every reader starts with, computed once: each literal with the indexes of its phrases. */
interface Start {
  readonly patterns: readonly RegExp[]
  readonly literals: readonly { readonly literal: string; readonly phrases: readonly number[] }[]
  readonly finder: LiteralFinder
}
let known: Start | undefined

function start(): Start {
  if (known !== undefined) return known
  const literals = shortest(PHRASES.flatMap((phrase) => phrase.literals))
  known = {
    // A pattern is used for single lines, so it must not remember a position.
    patterns: PHRASES.map(({ pattern }) => new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))),
    literals: literals.map((literal) => ({
      literal,
      phrases: PHRASES.flatMap((phrase, at) => (phrase.literals.some((one) => one.includes(literal)) ? [at] : [])),
    })),
    finder: new LiteralFinder(literals),
  }
  return known
}

function watchedPhrases(): Watched[] {
  const each = Math.floor(MAX_LINES / PHRASES.length)
  const { patterns, literals } = start()
  const wanted = patterns.map((pattern): Wanted => ({ pattern, wanted: each }))
  return literals.map(({ literal, phrases }) => ({ literal, phrases: phrases.map((at) => wanted[at]!), tries: 0 }))
}

/** The line around the literal that ends at `hit`: the whole line if it is short, else its start, else the part around the literal. */
function excerpt(bytes: Uint8Array, start: number, hit: number, end: number): string {
  let from = hit - start < MAX_LINE ? start : hit - MAX_LINE / 2
  while (from > start && (bytes[from]! & 0xc0) === 0x80) from++
  const line = textOf(bytes, from, Math.min(end, from + 4 * MAX_LINE))
  return line.endsWith('\r') ? line.slice(0, Math.min(MAX_LINE, line.length - 1)) : line.slice(0, MAX_LINE)
}
