import { type Grammar, tokenize } from './languages.ts'
import type { Row } from './rows.ts'

/** Some text of a line, with the class of its color. */
export type Piece = readonly [text: string, color: string]

const COLORS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    comment: 'comment prolog doctype cdata shebang hashbang',
    string: 'string char attr-value regex template-string url string-literal',
    keyword: 'keyword boolean atrule important rule operator-keyword directive',
    number: 'number constant symbol',
    function: 'function function-variable method function-name',
    type: 'class-name builtin namespace type',
    name: 'tag selector property attr-name key variable title',
  }).flatMap(([color, types]) => types.split(' ').map((type) => [type, `t-${color}`])),
)

/** Rows that are read together. */
const BLOCK = 256
/** Longer lines are machine-made. Patterns that need much time for them would freeze the page. */
const MOST_LINE = 1_000
const MOST_BLOCK = 64 * 1024

/** The colors of the lines of one file. A block of lines is read when one of them is shown. */
export class Highlighter {
  readonly #pieces = new Map<number, readonly Piece[]>()
  readonly #read = new Set<number>()

  constructor(
    readonly rows: readonly Row[],
    readonly grammar: Grammar | undefined,
  ) {}

  pieces(at: number): readonly Piece[] {
    const block = Math.floor(at / BLOCK)
    if (this.grammar !== undefined && !this.#read.has(block)) {
      this.#read.add(block)
      this.#readBlock(block * BLOCK, Math.min(this.rows.length, (block + 1) * BLOCK), this.grammar)
    }
    return this.#pieces.get(at) ?? [[this.rows[at]?.text ?? '', '']]
  }

  /** The old and the new text are read on their own, and so is each hunk. */
  #readBlock(from: number, to: number, grammar: Grammar): void {
    for (let start = from; start < to; ) {
      let end = start + 1
      while (end < to && this.rows[end]?.kind !== 'place') end += 1
      this.#readSide(start, end, 'minus', grammar)
      this.#readSide(start, end, 'plus', grammar)
      start = end
    }
  }

  #readSide(from: number, to: number, side: 'plus' | 'minus', grammar: Grammar): void {
    const places: number[] = []
    let size = 0
    for (let at = from; at < to; at++) {
      const { kind, text } = this.rows[at] ?? { kind: 'place', text: '' }
      if ((kind !== 'same' && kind !== side) || text.length > MOST_LINE) continue
      size += text.length
      places.push(at)
    }
    if (size > MOST_BLOCK) return
    const lines = linesOf(tokenize(places.map((at) => this.rows[at]?.text ?? '').join('\n'), grammar))
    for (const [n, at] of places.entries()) {
      const line = lines[n]
      if (line !== undefined && line.map(([text]) => text).join('') === this.rows[at]?.text) this.#pieces.set(at, line)
    }
  }
}

type Tokens = ReturnType<typeof tokenize>

/** Nested tokens as lines of colored text. */
function linesOf(tokens: Tokens): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]]
  const take = (token: Tokens[number] | Tokens, color: string): void => {
    if (typeof token === 'string') {
      for (const [n, text] of token.split('\n').entries()) {
        if (n > 0) lines.push([])
        if (text !== '') lines.at(-1)?.push([text, color])
      }
    } else if (Array.isArray(token)) for (const each of token) take(each, color)
    else take(token.content as Tokens, COLORS[token.type] ?? color)
  }
  take(tokens, '')
  return lines
}
