/** A word, number, string, regular expression or punctuation mark in any language. Comments are not tokens. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'regex' | 'punct'
  readonly text: string
  readonly line: number
  /** It is the first token on its line. */
  readonly first: boolean
  readonly column: number
  readonly at: number
  /** Index of the matching bracket; -1 for other tokens and for unmatched brackets. */
  pair: number
  /** The comment directly before it. */
  readonly doc: string | undefined
}

/** Token indexes; `to` is exclusive. */
export type Range = readonly [from: number, to: number]

const OPENERS = new Set(['(', '[', '{'])
export const opens = (token: Token | undefined): boolean => token?.kind === 'punct' && OPENERS.has(token.text)

export const is = (token: Token | undefined, text: string): boolean =>
  token !== undefined && token.text === text && token.kind !== 'string'

/** The text of tokens, regardless of white space, quote style and trailing commas. */
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

const quoted = (text: string) => (/^[A-Za-z$@]*#*["'`]/.test(text) ? `"${stringContent(text)}"` : text)

/** The content of a string token, without prefix and quotes. Escapes are kept. */
export function stringContent(text: string): string {
  const match = /^(?:[A-Za-z$@]*)(#*)("""+|'''|["'`])([\s\S]*)$/.exec(text)
  if (!match) return text.startsWith(':') ? text.slice(1) : text
  const close = match[2]! + match[1]!
  return match[3]!.endsWith(close) ? match[3]!.slice(0, -close.length) : match[3]!
}

/** The ranges between the commas of a bracketed list; `open` is the index of its opening bracket. */
export function listItems(tokens: readonly Token[], open: number): Range[] {
  const end = tokens[open]?.pair ?? -1
  return end < 0 ? [] : splitAt(tokens, [open + 1, end], ',')
}

/** Parts of a range between separators outside nested brackets. Empty parts are left out. */
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

/** Index of the first matching token outside nested brackets, or -1. */
export function findAt(
  tokens: readonly Token[],
  [from, to]: Range,
  matches: (token: Token, index: number) => boolean,
): number {
  for (let i = from; i < to; i++) {
    const token = tokens[i]!
    if (matches(token, i)) return i
    if (opens(token) && token.pair > i) i = token.pair
  }
  return -1
}

export type BlockKind =
  | 'file'
  | 'class'
  | 'function'
  | 'lambda'
  | 'if'
  | 'else'
  | 'loop'
  | 'try'
  | 'catch'
  | 'finally'
  | 'switch'
  | 'object'
  | 'other'

/** A piece of code with a head, such as a function, a loop or a class, or just a pair of braces. */
export interface Block {
  readonly kind: BlockKind
  readonly head: Range
  body: Range
  /** Name of a function or class. */
  readonly name: string
  readonly parent?: Block
  readonly children: Block[]
}

/** What a reader returns for a text. */
export interface SourceParts {
  readonly tokens: readonly Token[]
  readonly root: Block
  /** The innermost block of each token. */
  readonly owner: readonly Block[]
  /** A bracket or string is not closed: the file is incomplete, or not what its name says. */
  readonly broken: boolean
  /** The text is too irregular to read: its tokens are a guess, and its tests don't count. */
  readonly unread: boolean
}

export const fileBlock = (): Block => ({ kind: 'file', head: [0, 0], body: [0, 0], name: '', children: [] })

/** The end of the body is set when the block ends. */
export function openBlock(kind: BlockKind, head: Range, from: number, parent: Block, name = ''): Block {
  const block: Block = { kind, head, body: [from, from], name, parent, children: [] }
  parent.children.push(block)
  return block
}

const PARTNER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * Matches brackets as tokens are added. A stray closing bracket closes nothing. One that doesn't match the last open bracket closes
 * all up to its own.
 */
export class BracketPairs {
  readonly #open: number[] = []
  #clean = true

  add(tokens: readonly Token[]): void {
    const last = tokens.length - 1
    const { text } = tokens[last]!
    if (text === '(' || text === '[' || text === '{') this.#open.push(last)
    const wanted = PARTNER[text]
    if (wanted === undefined) return
    const place = this.#open.findLastIndex((index) => tokens[index]!.text === wanted)
    if (place !== this.#open.length - 1 || place < 0) this.#clean = false
    if (place < 0) return
    const open = this.#open[place]!
    this.#open.length = place
    tokens[open]!.pair = last
    tokens[last]!.pair = open
  }

  get broken(): boolean {
    return !this.#clean || this.#open.length > 0
  }
}
