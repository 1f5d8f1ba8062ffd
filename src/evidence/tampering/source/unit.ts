import type { Language } from '../../test-files.ts'
import { braceBlocks } from './brace-blocks.ts'
import { lex } from './lex.ts'
import { pythonBlocks } from './python-blocks.ts'
import { rubyBlocks } from './ruby-blocks.ts'
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

/** A piece of code with a head that says what it is: a brace pair, an indented suite, or a keyword with its `end`. */
export interface Block {
  readonly kind: BlockKind
  readonly head: Range
  body: Range
  /** Name of a function or class. */
  readonly name: string
  readonly parent?: Block
  readonly kids: Block[]
}

/** A source file, read as far as every language allows: tokens, and blocks inside blocks. */
export interface Unit {
  readonly language: Language
  readonly text: string
  readonly tokens: readonly Token[]
  readonly root: Block
  /** The innermost block of each token. */
  readonly owner: readonly Block[]
  /** Something was left open; what was read is a guess from there on. */
  readonly broken: boolean
}

/** Builds blocks while tokens are walked in order. */
export interface BlockBuilder {
  readonly root: Block
  readonly owner: Block[]
  open(kind: BlockKind, head: Range, from: number, parent: Block, name?: string): Block
}

export function blockBuilder(tokens: readonly Token[]): BlockBuilder {
  const root: Block = { kind: 'file', head: [0, 0], body: [0, tokens.length], name: '', kids: [] }
  return {
    root,
    owner: new Array<Block>(tokens.length).fill(root),
    open(kind, head, from, parent, name = '') {
      const block: Block = { kind, head, body: [from, tokens.length], name, parent, kids: [] }
      parent.kids.push(block)
      return block
    },
  }
}

export function readUnit(text: string, language: Language): Unit {
  const { tokens, broken } = lex(text, language)
  const build = language === 'python' ? pythonBlocks : language === 'ruby' ? rubyBlocks : braceBlocks
  const { root, owner } = build(tokens, language, text)
  return { language, text, tokens, root, owner, broken }
}

/** The blocks around a token, innermost first, up to (not including) `until`. */
export function around(unit: Unit, index: number, until?: Block): Block[] {
  const blocks: Block[] = []
  for (let block: Block | undefined = unit.owner[index]; block && block !== until; block = block.parent)
    blocks.push(block)
  return blocks
}

/** Every block below this one, in order of the text. Without recursion: ten thousand brackets are quickly written. */
export function* below(block: Block): Generator<Block> {
  const waiting = [...block.kids].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next
    for (let i = next.kids.length - 1; i >= 0; i--) waiting.push(next.kids[i]!)
  }
}
