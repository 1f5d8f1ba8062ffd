import type { Language } from '../../test-files.ts'
import { is, type Range, type Token } from './token.ts'
import { type Block, type BlockBuilder, type BlockKind, blockBuilder } from './unit.ts'

const OPENERS: Readonly<Record<string, BlockKind>> = {
  def: 'function',
  class: 'class',
  module: 'class',
  begin: 'try',
  case: 'switch',
  do: 'lambda',
  if: 'if',
  unless: 'if',
  while: 'loop',
  until: 'loop',
  for: 'loop',
}
/** These open a block only where a statement or a value may begin; elsewhere they qualify what stands before them. */
const MODIFIERS = new Set(['if', 'unless', 'while', 'until', 'for'])
const BEFORE_VALUE = new Set('; = ( [ , { => << && || | do then else begin ensure rescue and or not !'.split(' '))
/** A second part of the block at hand, as `catch` or `else` are elsewhere. */
const PARTS: Readonly<Record<string, BlockKind>> = {
  rescue: 'catch',
  ensure: 'finally',
  else: 'else',
  elsif: 'if',
  when: 'other',
  in: 'other',
}
const TRAILING = new Set('( [ , = && || + . => { \\'.split(' '))

interface Open {
  readonly block: Block
  /** The part whose tokens are being read: the block itself, or its latest `rescue`, `else` and the like. */
  part: Block
  readonly line: number
  awaitsDo: boolean
}

/** A block for each keyword with its `end`, each of its parts, and each pair of braces. */
export function rubyBlocks(tokens: readonly Token[], _language: Language): BlockBuilder {
  const builder = blockBuilder(tokens)
  const stack: Open[] = []
  const braces: { at: number; depth: number }[] = []
  const inside = () => stack.at(-1)?.part ?? builder.root
  const close = (at: number) => {
    const { block, part } = stack.pop()!
    if (part !== block) part.body = [part.body[0], at]
    if (part === block || block.body[1] > at) block.body = [block.body[0], part === block ? at : block.body[1]]
  }
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    while (braces.length > 0 && braces.at(-1)!.at <= i)
      while (stack.length > braces.at(-1)!.depth || !braces.pop()) close(i)
    builder.owner[i] = inside()
    if (token.text === '{' && token.kind === 'punct' && token.pair > i) {
      const block = builder.open(
        isHash(tokens[i - 1]) ? 'object' : 'lambda',
        [headStart(tokens, i), i],
        i + 1,
        inside(),
      )
      braces.push({ at: token.pair, depth: stack.length })
      stack.push({ block, part: block, line: token.line, awaitsDo: false })
      continue
    }
    if (token.kind !== 'word' || is(tokens[i - 1], '.') || is(tokens[i - 1], '&.') || isKey(tokens, i)) continue
    const top = stack.at(-1)
    if (token.text === 'end') {
      if (top && stack.length > (braces.at(-1)?.depth ?? 0)) close(i)
      builder.owner[i] = inside()
    } else if (token.text === 'do' && top?.awaitsDo && top.line === token.line) {
      top.awaitsDo = false
      top.block.body = [i + 1, top.block.body[1]]
    } else if (token.text in PARTS && top && top.block.kind !== 'object' && startsPart(tokens, i, top)) {
      const before = top.part
      before.body = [before.body[0], i]
      const headEnd = lineEnd(tokens, i)
      top.part = builder.open(PARTS[token.text]!, [i, headEnd], headEnd, top.block.parent ?? builder.root)
    } else if (token.text in OPENERS && beginsBlock(tokens, i)) {
      const keyword = token.text
      const head: Range = keyword === 'do' ? [headStart(tokens, i), i] : [i, lineEnd(tokens, i)]
      const from = keyword === 'do' ? i + 1 : head[1]
      const block = builder.open(OPENERS[keyword]!, head, from, inside(), nameAfter(tokens, i, keyword))
      stack.push({
        block,
        part: block,
        line: token.line,
        awaitsDo: keyword === 'while' || keyword === 'until' || keyword === 'for',
      })
    }
  }
  return builder
}

const isKey = (tokens: readonly Token[], i: number) =>
  is(tokens[i + 1], ':') && tokens[i + 1]!.at === tokens[i]!.at + tokens[i]!.text.length && !is(tokens[i + 2], ':')

/** A brace after a value or a call opens a block; after an operator it opens a hash. */
function isHash(before: Token | undefined): boolean {
  if (before === undefined) return true
  if (before.kind === 'word') return before.text === 'return' || before.text === 'puts'
  return before.text !== ')' && before.text !== '|' && before.kind !== 'string'
}

function startsPart(tokens: readonly Token[], i: number, top: Open): boolean {
  const word = tokens[i]!.text
  if (!tokens[i]!.first && !is(tokens[i - 1], ';')) return false
  if (word === 'in') return top.block.kind === 'switch'
  return true
}

function beginsBlock(tokens: readonly Token[], i: number): boolean {
  const word = tokens[i]!.text
  const before = tokens[i - 1]
  if (word === 'def') return !isEndless(tokens, i)
  if (word === 'class') return before === undefined || tokens[i]!.first || is(before, ';') || is(before, '=')
  if (!MODIFIERS.has(word)) return true
  return before === undefined || tokens[i]!.first || BEFORE_VALUE.has(before.text)
}

/** `def name(args) = expression` has no end. */
function isEndless(tokens: readonly Token[], i: number): boolean {
  let at = i + 1
  while (is(tokens[at + 1], '.')) at += 2
  at++
  if (is(tokens[at], '(') && tokens[at]!.pair > 0) at = tokens[at]!.pair + 1
  return is(tokens[at], '=') && tokens[at]!.line === tokens[i]!.line && !is(tokens[at - 1], '=')
}

function nameAfter(tokens: readonly Token[], i: number, keyword: string): string {
  if (keyword !== 'def' && keyword !== 'class' && keyword !== 'module') return ''
  let at = i + 1
  while (is(tokens[at + 1], '.') || is(tokens[at + 1], '::')) at += 2
  return tokens[at]?.text ?? ''
}

/** End of the line on which a head stands; lines that end in an operator or a comma go on. */
function lineEnd(tokens: readonly Token[], from: number): number {
  let i = from + 1
  while (i < tokens.length && (!tokens[i]!.first || TRAILING.has(tokens[i - 1]!.text))) {
    if (is(tokens[i], ';') || is(tokens[i], 'then')) return i
    const { pair } = tokens[i]!
    i = pair > i && tokens[i]!.text !== '{' ? pair : i + 1
  }
  return i
}

function headStart(tokens: readonly Token[], open: number): number {
  if (tokens[open]!.first && !TRAILING.has(tokens[open - 1]?.text ?? '')) return open
  for (let i = open - 1; i >= 0; i--) {
    const token = tokens[i]!
    if ((token.text === ')' || token.text === ']' || token.text === '}') && token.pair >= 0) i = token.pair
    else if (token.text === '(' || token.text === '[' || token.text === '{' || token.text === ';') return i + 1
    const here = tokens[i]!
    if (here.first && !(i > 0 && TRAILING.has(tokens[i - 1]!.text)) && here.text !== '.') return i
  }
  return 0
}
