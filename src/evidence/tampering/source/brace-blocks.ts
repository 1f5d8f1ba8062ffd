import type { Language } from '../../test-files.ts'
import { classNameOf, functionNameOf } from './names.ts'
import { findAt, is, type Range, type Token } from './token.ts'
import { type BlockBuilder, type BlockKind, blockBuilder } from './unit.ts'

const KEYWORDS: Readonly<Record<string, BlockKind>> = {
  if: 'if',
  elseif: 'if',
  unless: 'if',
  guard: 'if',
  else: 'else',
  for: 'loop',
  foreach: 'loop',
  while: 'loop',
  do: 'loop',
  loop: 'loop',
  switch: 'switch',
  match: 'switch',
  when: 'switch',
  select: 'switch',
  try: 'try',
  catch: 'catch',
  finally: 'finally',
  class: 'class',
  struct: 'class',
  interface: 'class',
  trait: 'class',
  impl: 'class',
  mod: 'class',
  module: 'class',
  namespace: 'class',
  object: 'class',
  record: 'class',
  enum: 'class',
}
/** Tokens by which a line shows that it goes on from the one before. */
const LEADING = new Set('. ?. && || + - * ? : => -> = == | throws where extends implements with'.split(' '))
const TRAILING = new Set('( [ , = && || + => -> : ? . | =='.split(' '))

/** Every brace pair is a block; its head is the part of the statement before it. */
export function braceBlocks(tokens: readonly Token[], language: Language): BlockBuilder {
  const builder = blockBuilder(tokens)
  const enclosing: number[] = []
  let current = builder.root
  const ends: { at: number; back: typeof current }[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    while (ends.length > 0 && ends.at(-1)!.at <= i) current = ends.pop()!.back
    builder.owner[i] = current
    if (token.kind !== 'punct') continue
    if (token.pair >= 0 && token.pair < i && token.text !== '}') enclosing.pop()
    else if (token.text === '(' || token.text === '[') {
      if (token.pair > i) enclosing.push(i)
    } else if (token.text === '}' && token.pair >= 0) enclosing.pop()
    else if (token.text === '{') {
      const head: Range = [headStart(tokens, i, language, enclosing.at(-1)), i]
      const [kind, name] = kindOf(tokens, head, language)
      const block = builder.open(kind, head, i + 1, current, name)
      if (token.pair > i) {
        block.body = [i + 1, token.pair]
        ends.push({ at: token.pair, back: current })
        enclosing.push(i)
      }
      current = block
    }
  }
  return builder
}

function headStart(tokens: readonly Token[], open: number, language: Language, container?: number): number {
  const commaEnds = language === 'javascript' || (container !== undefined && !is(tokens[container], '{'))
  for (let i = open - 1; i >= 0; i--) {
    let token = tokens[i]!
    if (token.kind === 'punct') {
      if ((token.text === ')' || token.text === ']') && token.pair >= 0) {
        i = token.pair
        token = tokens[i]!
      } else if (token.text === '}' || token.text === '{' || token.text === '(' || token.text === '[') return i + 1
      else if (token.text === ',' && commaEnds) return i + 1
      else if (token.text === ';' && language !== 'go') return i + 1
    }
    if (token.first && !goesOn(tokens, i)) return i
  }
  return 0
}

const goesOn = (tokens: readonly Token[], i: number) =>
  LEADING.has(tokens[i]!.text) || (i > 0 && tokens[i - 1]!.kind === 'punct' && TRAILING.has(tokens[i - 1]!.text))

function kindOf(tokens: readonly Token[], head: Range, language: Language): [BlockKind, string] {
  const [from, to] = head
  const last = tokens[to - 1]
  if (to === from || last === undefined) return ['object', '']
  const keyword = leadingKeyword(tokens, head, language)
  if (keyword === 'else') {
    const next = tokens[findAt(tokens, head, (token) => is(token, 'else')) + 1]
    return [is(next, 'if') && to - from > 1 ? 'if' : 'else', '']
  }
  if (keyword !== undefined && KEYWORDS[keyword] !== 'class') return [KEYWORDS[keyword]!, '']
  const name = functionNameOf(tokens, head, language)
  if (name !== undefined) return ['function', name]
  if (keyword !== undefined) return ['class', classNameOf(tokens, head)]
  if (is(last, '=>') || is(last, '->')) return [language === 'rust' ? 'other' : 'lambda', '']
  if (language === 'rust' && (is(last, '|') || is(last, '||'))) return ['lambda', '']
  if (last.kind === 'punct' && last.text !== ')' && last.text !== ']') return ['object', '']
  // A trailing block after a call is an argument of that call.
  if (language === 'kotlin' && (last.text === ')' || last.kind === 'word' || last.kind === 'string'))
    return ['lambda', '']
  return last.text === ')' && language === 'go' ? ['lambda', ''] : ['other', '']
}

/** The control word of a head: its first word, or the one that follows an assignment (`let x = match y {`). */
function leadingKeyword(tokens: readonly Token[], head: Range, language: Language): string | undefined {
  const first = tokens.slice(head[0], head[1]).find((token) => token.kind === 'word')?.text
  if (first !== undefined && first in KEYWORDS && KEYWORDS[first] !== 'class') return first
  const at = findAt(tokens, head, (token, i) => {
    if (token.kind !== 'word' || !(token.text in KEYWORDS) || is(tokens[i - 1], '.') || is(tokens[i + 1], ':'))
      return false
    if (KEYWORDS[token.text] === 'class') return !is(tokens[i - 1], '::') && tokens[i + 1]?.kind === 'word'
    return language !== 'javascript' || i === head[0]
  })
  return at < 0 ? undefined : tokens[at]!.text
}
