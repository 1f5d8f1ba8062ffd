import type { Language } from '../../test-files.ts'
import { findAt, is, opens, type Range, type Token } from './token.ts'
import { type Block, type BlockBuilder, type BlockKind, blockBuilder } from './unit.ts'

const HEADS: Readonly<Record<string, BlockKind>> = {
  def: 'function',
  class: 'class',
  if: 'if',
  elif: 'if',
  else: 'else',
  for: 'loop',
  while: 'loop',
  try: 'try',
  except: 'catch',
  finally: 'finally',
  with: 'other',
  match: 'switch',
  case: 'other',
  async: 'other',
}

/** One statement line, however many lines of text it takes. */
export interface Logical {
  readonly range: Range
  readonly indent: number
}

export function logicalLines(tokens: readonly Token[], text: string): Logical[] {
  const lines: Logical[] = []
  let start = 0
  let inside = 0
  for (let i = 0; i <= tokens.length; i++) {
    const token = tokens[i]
    const fresh = token === undefined || (token.first && i >= inside && !goesOn(tokens, i, text))
    if (fresh && i > start) {
      lines.push({ range: [start, i], indent: tokens[start]!.column })
      start = i
    }
    if (token && opens(token) && token.pair > inside) inside = token.pair + 1
  }
  return lines
}

/** A backslash at the end of the line before. */
function goesOn(tokens: readonly Token[], i: number, text: string): boolean {
  const before = tokens[i - 1]
  return before?.text === '\\' || (before !== undefined && /\\\r?\n\s*$/.test(text.slice(before.at, tokens[i]!.at)))
}

/** A block for each suite: the indented lines below a head, or what follows its colon on the same line. */
export function pythonBlocks(tokens: readonly Token[], _language: Language, text: string): BlockBuilder {
  const builder = blockBuilder(tokens)
  const stack: { block: Block; indent: number }[] = []
  for (const { range, indent } of logicalLines(tokens, text)) {
    while (stack.length > 0 && stack.at(-1)!.indent >= indent) {
      const { block } = stack.pop()!
      block.body = [block.body[0], range[0]]
    }
    const parent = stack.at(-1)?.block ?? builder.root
    for (let i = range[0]; i < range[1]; i++) builder.owner[i] = parent
    const head = headOf(tokens, range)
    if (!head) continue
    const block = builder.open(head.kind, [range[0], head.colon], head.colon + 1, parent, head.name)
    if (head.colon + 1 < range[1]) {
      block.body = [head.colon + 1, range[1]]
      for (let i = head.colon + 1; i < range[1]; i++) builder.owner[i] = block
    } else stack.push({ block, indent })
  }
  return builder
}

function headOf(tokens: readonly Token[], range: Range): { kind: BlockKind; colon: number; name: string } | undefined {
  let at = range[0]
  const first = tokens[at]!
  if (first.kind !== 'word' || !(first.text in HEADS)) return undefined
  if (first.text === 'async') at++
  const word = tokens[at]?.text ?? ''
  const kind = HEADS[word]
  const colon = findAt(tokens, [at, range[1]], (token) => is(token, ':'))
  if (kind === undefined || colon < 0) return undefined
  // `match` and `case` are ordinary names unless the line ends with a colon.
  if ((word === 'match' || word === 'case') && colon !== range[1] - 1) return undefined
  const named = kind === 'function' || kind === 'class'
  return { kind, colon, name: named ? (tokens[at + 1]?.text ?? '') : '' }
}
