import { parse, type SyntaxTree, type TreeCursor } from '../../syntax/parse.ts'
import type { LanguageSyntax } from './languages/language.ts'
import type { Block, BlockKind, Range, SourceParts, Token } from './tokens-and-blocks.ts'
import { BracketPairs, fileBlock, is, openBlock } from './tokens-and-blocks.ts'

/** Tokens and blocks of a text from its syntax tree. Text that the grammar can't read becomes words and single characters. */
export function partsFromTree(text: string, syntax: LanguageSyntax): SourceParts {
  const tree = bestTree(text, syntax)
  const walk = new TreeWalk(text, syntax, tree?.rootNode.hasError === true)
  if (tree) {
    const cursor = tree.walk()
    walk.run(cursor)
    cursor.delete()
    tree.delete()
  }
  return walk.finish(tree === undefined)
}

function bestTree(text: string, { grammars }: LanguageSyntax): SyntaxTree | undefined {
  let best: { readonly tree: SyntaxTree; readonly errors: number } | undefined
  for (const grammar of grammars) {
    const tree = parse(text, grammar)
    if (tree === undefined) continue
    const errors = tree.rootNode.hasError ? tree.rootNode.descendantsOfType('ERROR').length + 1 : 0
    if (best && best.errors <= errors) tree.delete()
    else {
      best?.tree.delete()
      best = { tree, errors }
    }
    if (errors === 0) break
  }
  return best?.tree
}

/** A node on the path from the root to the current one. */
interface Frame {
  readonly type: string
  readonly field: string | undefined
  /** First token of the node. */
  readonly start: number
  /** First token of the head of a block that begins here. */
  headFrom: number
  /** The head begins at this node, not at a parent. */
  readonly ownHead: boolean
  /** Children are separate: they are statements, or are between brackets. */
  separated: boolean
  /** Index of the token that names what is declared or set here, or -1. */
  name: number
  readonly isBody: boolean
  /** While it is open: the block that has this node as its body, or that this node's braces form. */
  block: Block | undefined
}

/** Statements and declarations have their own head. */
const OWN_HEAD = /(?:_statement|_declaration|_definition|_item|_clause)$/
/** Words before the body that the grammar makes part of the body's node. */
const OPENER: ReadonlyMap<string, string> = new Map([
  ['do_block', 'do'],
  ['do', 'do'],
  ['then', 'then'],
  ['arrow_expression_clause', '=>'],
  ['colon_block', ':'],
])
const SEPARATORS = new Set(['(', '[', '{', ','])
const PLAIN_PIECES = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|\S/gu

/** A name with letters that a language may read as others. */
const ODD_NAME = /[^\x00-\x7f]|\\u/

class TreeWalk {
  readonly #text: string
  readonly #syntax: LanguageSyntax
  readonly #hasErrors: boolean
  readonly #tokens: Token[] = []
  readonly #owner: Block[] = []
  readonly #pairs = new BracketPairs()
  readonly #root = fileBlock()
  readonly #frames: Frame[] = []
  /** Heredocs whose text follows on later lines. */
  readonly #heredocs: number[] = []
  #current: Block = this.#root
  /** Where reading has stopped so far. */
  #at = 0
  #line = 1
  #lineStart = 0
  #atLineStart = true
  #doc: string | undefined
  #hasOpenString = false

  constructor(text: string, syntax: LanguageSyntax, hasErrors: boolean) {
    this.#text = text
    this.#syntax = syntax
    this.#hasErrors = hasErrors
  }

  run(cursor: TreeCursor): void {
    for (;;) {
      if (this.#enter(cursor)) {
        if (cursor.gotoFirstChild()) continue
        this.#leaf(cursor.endIndex)
      }
      this.#leave()
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return
        this.#leave()
      }
    }
  }

  finish(unread: boolean): SourceParts {
    this.#splitPlainText(this.#text.length)
    this.#root.body = [0, this.#tokens.length]
    const broken = this.#pairs.broken || this.#hasOpenString
    return { tokens: this.#tokens, root: this.#root, owner: this.#owner, broken, unread }
  }

  /** Returns whether to visit the node's children. */
  #enter(cursor: TreeCursor): boolean {
    const type = cursor.nodeType
    const from = cursor.startIndex
    const parent = this.#frames.at(-1)
    const field = parent && hasFields(parent.type, this.#syntax) ? (cursor.currentFieldName ?? undefined) : undefined
    this.#splitPlainText(from)
    this.#push(type, field, from, parent)
    const { strings, regexes, words, comments, skipped } = this.#syntax
    if (comments.has(type)) this.#comment(cursor.endIndex)
    else if (type === 'heredoc_body') this.#heredoc(cursor.endIndex)
    else if (skipped?.has(type) || (field === 'condition' && parent?.type.startsWith('preproc_')))
      this.#skip(cursor.endIndex)
    else if (strings.has(type) || regexes?.has(type)) {
      if (this.#hasErrors && cursor.currentNode.hasError) this.#hasOpenString = true
      this.#token(strings.has(type) ? 'string' : 'regex', cursor.endIndex)
      if (type === 'heredoc_beginning') this.#heredocs.push(this.#tokens.length - 1)
    } else if (words?.has(type)) this.#token('word', cursor.endIndex)
    else return true
    return false
  }

  #push(type: string, field: string | undefined, from: number, parent: Frame | undefined): void {
    const { blocks, parts, sequences } = this.#syntax
    if (parent && parts?.has(type)) this.#endBody(parent)
    const elseIf = /^if_/.test(type) && (field === 'alternative' || parent?.type === 'else_clause')
    const ownHead = parent === undefined || (!elseIf && (parent.separated || OWN_HEAD.test(type)))
    const start = this.#tokens.length
    const rules = parent && !elseIf ? blocks[parent.type] : undefined
    const kind = rules && (rules[field ?? ''] ?? rules[type] ?? (this.#isOther(type, from) ? rules['*'] : undefined))
    const isBody = kind !== undefined && !(field === 'alternative' && type === 'else_clause')
    const block = isBody ? this.#open(kind, this.#frames.length - 1) : undefined
    this.#frames.push({
      ...{ type, field, start, ownHead, isBody, block, name: -1 },
      headFrom: ownHead ? start : parent.headFrom,
      separated: parent === undefined || isBody || sequences?.has(type) === true,
    })
  }

  /** Any child that is neither a keyword nor a comment. */
  #isOther(type: string, from: number): boolean {
    return !this.#syntax.comments.has(type) && !this.#text.startsWith(type, from)
  }

  #leave(): void {
    const frame = this.#frames.pop()!
    const parent = this.#frames.at(-1)
    if (frame.block) this.#close(frame)
    if (!parent) return
    if (frame.isBody) parent.headFrom = this.#tokens.length
    const { field } = frame
    if (field === 'name' || field === 'key' || (parent.type === 'impl_item' && parent.name < 0 && field !== undefined))
      parent.name = frame.type === 'scope_resolution' ? this.#tokens.length - 1 : frame.start
    else if (field === 'left') parent.name = this.#tokens.length - 1
    if (this.#syntax.annotations?.has(frame.type))
      for (let i = this.#frames.length - 1; i >= 0 && this.#frames[i]!.headFrom === frame.start; i--)
        this.#frames[i]!.headFrom = this.#tokens.length
  }

  #leaf(to: number): void {
    const from = this.#at
    const frame = this.#frames.at(-1)!
    const parent = this.#frames.at(-2)
    if (frame.type === 'ERROR' || !parent) {
      if (/["'`]/.test(this.#text.slice(from, to))) this.#hasOpenString = true
      this.#splitPlainText(to)
      return
    }
    if (to <= from) return
    const text = this.#text.slice(from, to)
    if (text.startsWith('#') && parent.type.startsWith('preproc_')) {
      this.#skip(to)
      return
    }
    if (SEPARATORS.has(text)) parent.separated = true
    const i = this.#tokens.length
    const { block } = parent
    if (block && (text === '}' || text === 'end')) this.#close(parent)
    const opens = block?.body[0] === i && (text === '{' || OPENER.get(parent.type) === text)
    if (opens) this.#current = block.parent!
    this.#cut(text, to)
    if (opens) {
      block.body = [i + 1, i + 1]
      this.#current = block
    } else if (text === '{' && !block) parent.block = this.#braces(parent, i)
    else if (i === parent.start) {
      const kind = this.#syntax.blocks[parent.type]?.['@self']
      if (kind) parent.block = this.#open(kind, this.#frames.length - 2, [i, i + 1])
    }
  }

  /** A leaf is one token, unless it contains white space or brackets. */
  #cut(text: string, to: number): void {
    const from = this.#at
    if (/^[([{})\]]+$/.test(text)) for (let i = 1; i <= text.length; i++) this.#token('punct', from + i)
    else if (/\s/.test(text)) {
      for (const match of text.matchAll(/\S+/g)) {
        this.#skip(from + match.index)
        this.#token(kindOf(match[0]), from + match.index + match[0].length)
      }
      this.#skip(to)
    } else if (/[([{]$/.test(text)) {
      this.#token(kindOf(text.slice(0, -1)), to - 1)
      this.#token('punct', to)
    } else this.#token(kindOf(text), to)
  }

  #token(kind: Token['kind'], to: number): void {
    const from = this.#at
    const written = this.#text.slice(from, to)
    const isName = kind !== 'string' && kind !== 'regex' && ODD_NAME.test(written)
    const text = isName ? (this.#syntax.nameOf?.(written) ?? written) : written
    const before = this.#tokens.at(-1)
    // The grammar has two tokens for `?.`.
    if (text === '.' && is(before, '?') && before!.at === from - 1) {
      this.#tokens[this.#tokens.length - 1] = { ...before!, text: '?.' }
      this.#at = to
      return
    }
    const [line, first, column] = [this.#line, this.#atLineStart, from - this.#lineStart]
    const read = isName ? kindOf(text) : kind
    this.#tokens.push({ kind: read, text, line, first, column, at: from, pair: -1, doc: this.#doc })
    this.#owner.push(this.#current)
    if (kind === 'punct') this.#pairs.add(this.#tokens)
    this.#doc = undefined
    this.#advance(to)
    this.#atLineStart = false
  }

  #advance(to: number): void {
    // Searches only this part: a search in the complete text would cross the rest of a long line for every token.
    const part = this.#text.slice(this.#at, to)
    for (let i = part.indexOf('\n'); i >= 0; i = part.indexOf('\n', i + 1)) {
      this.#line++
      this.#lineStart = this.#at + i + 1
      this.#atLineStart = true
    }
    this.#at = to
  }

  #comment(to: number): void {
    this.#doc = this.#text.slice(this.#at, to)
    this.#advance(to)
  }

  /** A backslash at the end of a line continues the line. */
  #skip(to: number): void {
    const atLineStart = this.#text[this.#at] === '\\' ? this.#atLineStart : undefined
    this.#advance(to)
    this.#atLineStart = atLineStart ?? this.#atLineStart
  }

  /** A heredoc's text belongs to the token that announced it. */
  #heredoc(to: number): void {
    const announced = this.#heredocs.shift()
    const token = announced === undefined ? undefined : this.#tokens[announced]
    if (token) this.#tokens[announced!] = { ...token, text: token.text + this.#text.slice(this.#at, to) }
    this.#advance(to)
  }

  /** Text between two nodes is white space, or something that the grammar skipped. */
  #splitPlainText(to: number): void {
    if (to <= this.#at) return
    const [start, gap] = [this.#at, this.#text.slice(this.#at, to)]
    if (/\S/.test(gap)) {
      for (const match of gap.matchAll(PLAIN_PIECES)) {
        this.#advance(start + match.index)
        this.#token(kindOf(match[0]), start + match.index + match[0].length)
      }
    }
    this.#advance(to)
  }

  /** Opens a block whose head ends here; `holder` is the index of the frame with the head. */
  #open(kind: BlockKind, holder: number, head?: Range): Block {
    const i = this.#tokens.length
    const from = Math.min(this.#frames[holder]!.headFrom, i)
    const end = is(this.#tokens[i - 1], ':') && i - 1 > from ? i - 1 : i
    const block = openBlock(kind, head ?? [from, end], i, this.#current, this.#nameOf(kind, holder))
    this.#current = block
    return block
  }

  #close(frame: Frame): void {
    const block = frame.block!
    block.body = [block.body[0], Math.max(block.body[0], this.#tokens.length)]
    this.#current = block.parent!
    frame.block = undefined
  }

  /** `rescue` and the like end the body they are in, and become blocks next to it. */
  #endBody(parent: Frame): void {
    const holder = parent.type === 'body_statement' && !parent.block ? this.#frames.at(-2) : parent
    if (holder?.block) this.#close(holder)
  }

  #nameOf(kind: BlockKind, holder: number): string {
    if (kind !== 'function' && kind !== 'class') return ''
    for (let i = holder; i >= 0; i--) {
      const { name, ownHead } = this.#frames[i]!
      if (name >= 0 && (i === holder || this.#tokens[name]?.kind === 'word'))
        return this.#tokens[name]?.kind === 'word' ? this.#tokens[name]!.text : ''
      if (kind === 'class' || ownHead) return ''
    }
    return ''
  }

  #braces(parent: Frame, open: number): Block {
    const macroHead = this.#syntax.opaque?.has(parent.type) ? headInMacro(this.#tokens, open) : undefined
    const kind = macroHead?.kind ?? this.#syntax.braces?.[parent.type] ?? 'other'
    const head: Range = [macroHead?.from ?? Math.min(parent.headFrom, open), open]
    const block = openBlock(kind, head, open + 1, this.#current, macroHead?.name)
    this.#current = block
    return block
  }
}

/** Looking up the field of every node would take a third of the time. */
const hasFields = (type: string, { blocks }: LanguageSyntax) =>
  type in blocks || /declarat|assign|pair|definition|_item$|^preproc/.test(type)

function kindOf(text: string): Token['kind'] {
  if (/^\.?\d/.test(text)) return 'number'
  return /^[@#$]*[\p{L}_$]|^\$./u.test(text) ? 'word' : 'punct'
}

const MACRO_KEYWORDS: Readonly<Record<string, BlockKind>> = {
  fn: 'function',
  mod: 'class',
  if: 'if',
  else: 'else',
  for: 'loop',
  while: 'loop',
  loop: 'loop',
  match: 'switch',
}

/** The kind of block that a brace opens inside a macro, from the words before it. */
function headInMacro(
  tokens: readonly Token[],
  open: number,
): { readonly kind: BlockKind; readonly from: number; readonly name: string } | undefined {
  let found: { kind: BlockKind; from: number; name: string } | undefined
  for (let i = open - 1; i >= 0 && !/^[;{},]$/.test(tokens[i]!.text); i--) {
    if (tokens[i]!.pair >= 0 && tokens[i]!.pair < i) i = tokens[i]!.pair
    const { text, kind, first } = tokens[i]!
    const known = kind === 'word' ? MACRO_KEYWORDS[text] : undefined
    if (known) found = { kind: known, from: i, name: known === 'function' ? (tokens[i + 1]?.text ?? '') : '' }
    if (first && found) return found
  }
  return found
}
