import type { Range, Token } from './token.ts'

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

/** A piece of code with a head that says what it is, such as the body of a function, a loop or a class, or a pair of braces. */
export interface Block {
  readonly kind: BlockKind
  readonly head: Range
  body: Range
  /** Name of a function or class. */
  readonly name: string
  readonly parent?: Block
  readonly kids: Block[]
}

/** What every reader makes of a text. */
export interface SourceParts {
  readonly tokens: readonly Token[]
  readonly root: Block
  /** The innermost block of each token. */
  readonly owner: readonly Block[]
  /** A bracket or a string was left open: the file is half-written, or not what its name says. */
  readonly broken: boolean
  /** The text is too strange to be read: its tokens are a guess, and no test in it is believed. */
  readonly unread: boolean
}

export const fileBlock = (): Block => ({ kind: 'file', head: [0, 0], body: [0, 0], name: '', kids: [] })

/** The end of the body is set when the block ends. */
export function openBlock(kind: BlockKind, head: Range, from: number, parent: Block, name = ''): Block {
  const block: Block = { kind, head, body: [from, from], name, parent, kids: [] }
  parent.kids.push(block)
  return block
}

const PARTNER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Joins the brackets of a token list as they come. A stray closing bracket closes nothing; one that skips over open ones closes those too. */
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
