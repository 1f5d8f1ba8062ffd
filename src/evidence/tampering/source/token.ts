/** A word, number, string, regular expression or mark of any of the languages. Comments are not tokens. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'regex' | 'punct'
  readonly text: string
  readonly line: number
  /** Nothing but white space stands before it on its line. */
  readonly first: boolean
  readonly column: number
  readonly at: number
  /** Index of the bracket that closes or opens this one; -1 for anything else and for a bracket without a partner. */
  pair: number
  /** The comment that stands directly before it. */
  readonly doc: string | undefined
}

/** From (included) and to (not included), as token indexes. */
export type Range = readonly [from: number, to: number]

const OPENERS = new Set(['(', '[', '{'])
export const opens = (token: Token | undefined): boolean => token?.kind === 'punct' && OPENERS.has(token.text)
export const is = (token: Token | undefined, text: string): boolean =>
  token !== undefined && token.text === text && token.kind !== 'string'

/** Tokens written so that white space, the kind of quotes and a trailing comma make no difference. */
export function plain(tokens: readonly Token[], [from, to]: Range): string {
  const parts: string[] = []
  for (let i = from; i < to; i++) {
    const token = tokens[i]!
    if (token.text === ';') continue
    if (token.text === ',' && (i + 1 >= to || tokens[i + 1]!.pair > -1) && closes(tokens[i + 1])) continue
    parts.push(token.kind === 'string' ? quoted(token.text) : token.text)
  }
  return parts.join(' ')
}

const closes = (token: Token | undefined) =>
  token === undefined || token.text === ')' || token.text === ']' || token.text === '}'

/** The characters inside a string token, without prefix and quotes. Escapes stay as written. */
export function inside(text: string): string {
  const match = /^(?:[A-Za-z$@]*)(#*)("""+|'''|["'`])([\s\S]*)$/.exec(text)
  if (!match) return text.startsWith(':') ? text.slice(1) : text
  const close = match[2]! + match[1]!
  return match[3]!.endsWith(close) ? match[3]!.slice(0, -close.length) : match[3]!
}

const quoted = (text: string) => (/^[A-Za-z$@]*#*["'`]/.test(text) ? `"${inside(text)}"` : text)

/** The ranges between the commas of a bracketed list; `open` is the index of its opening bracket. */
export function listItems(tokens: readonly Token[], open: number): Range[] {
  const end = tokens[open]?.pair ?? -1
  return end < 0 ? [] : splitAt(tokens, [open + 1, end], ',')
}

/** Parts of a range between separators that stand at its own depth. Empty parts are left out. */
export function splitAt(tokens: readonly Token[], [from, to]: Range, separator: string): Range[] {
  const parts: Range[] = []
  let start = from
  for (let i = from; i < to; i++) {
    const token = tokens[i]!
    if (opens(token) && token.pair > i) i = Math.min(token.pair, to)
    else if (is(token, separator)) {
      if (i > start) parts.push([start, i])
      start = i + 1
    }
  }
  if (to > start) parts.push([start, to])
  return parts
}

/** Index of the first token that fits and stands at the range's own depth, or -1. */
export function findAt(
  tokens: readonly Token[],
  [from, to]: Range,
  fits: (token: Token, index: number) => boolean,
): number {
  for (let i = from; i < to; i++) {
    const token = tokens[i]!
    if (fits(token, i)) return i
    if (opens(token) && token.pair > i) i = token.pair
  }
  return -1
}
