import {
  type Block,
  type BlockKind,
  BracketPairs,
  fileBlock,
  findAt,
  is,
  openBlock,
  type Range,
  type SourceParts,
  type Token,
} from './tokens-and-blocks.ts'

/**
 * Reads Kotlin without a grammar: the package has none, and the one elsewhere is larger than exitgate. One pattern finds the
 * tokens, and each pair of braces is a block.
 */
export function kotlinParts(text: string): SourceParts {
  const { tokens, broken } = tokensOf(text)
  return { tokens, broken, unread: false, ...blocksOf(tokens) }
}

const PIECES =
  /(?<space>\s+|\ufeff)|(?<comment>\/\/[^\n]*)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*|`[^`\n]+`)|(?<number>0[xXbB][\da-fA-F_]+\w*|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?\w*)|(?<punct>===|!==|\.\.\.|->|::|==|!=|<=|>=|&&|\|\||\?\.|\?:|\+\+|--|[-+*/%]=|\.\.|[^])/uy

function tokensOf(text: string): { tokens: Token[]; broken: boolean } {
  const tokens: Token[] = []
  const pairs = new BracketPairs()
  let [line, lineStart, atLineStart, open] = [1, 0, true, false]
  let doc: string | undefined
  for (let at = 0; at < text.length; ) {
    const string = stringEnd(text, at)
    const blockComment = text.startsWith('/*', at) ? commentEnd(text, at) : 0
    PIECES.lastIndex = at
    const match = PIECES.exec(text)!
    const end = string || blockComment || PIECES.lastIndex
    const { space, comment, word, number } = match.groups!
    const code = string > 0 || !(blockComment > 0 || space !== undefined || comment !== undefined)
    const piece = text.slice(at, end)
    if (code) {
      const kind = string > 0 ? 'string' : word !== undefined ? 'word' : number !== undefined ? 'number' : 'punct'
      if (piece === '"') open = true
      tokens.push({ kind, text: piece, line, first: atLineStart, column: at - lineStart, at, pair: -1, doc })
      if (kind === 'punct') pairs.add(tokens)
      doc = undefined
    } else if (space === undefined) doc = piece
    for (let i = piece.indexOf('\n'); i >= 0; i = piece.indexOf('\n', i + 1)) {
      line++
      lineStart = at + i + 1
      atLineStart = true
    }
    if (code) atLineStart = false
    at = end
  }
  return { tokens, broken: open || pairs.broken }
}

/** End of the string or character literal that begins here; 0 if there is none, or if it never ends. */
function stringEnd(text: string, from: number, depth = 0): number {
  const quote = /\$*"""|["']/y
  quote.lastIndex = from
  const found = quote.exec(text)?.[0]
  if (found === undefined) return 0
  const raw = found.endsWith('"""')
  const close = raw ? '"""' : found
  for (let i = from + found.length; i < text.length; i++) {
    if (text[i] === '\\' && !raw) i++
    else if (text[i] === '\n' && !raw) return 0
    else if (text.startsWith(close, i)) {
      let end = i + close.length
      // A fourth quote is part of the text.
      while (raw && text[end] === '"') end++
      return end
    } else if (text.startsWith('${', i) && close !== "'" && depth < 5) {
      const end = codeEnd(text, i + 2, depth + 1)
      if (end > 0) i = end - 1
    }
  }
  return 0
}

/** End of the code inside a string. */
function codeEnd(text: string, from: number, depth: number): number {
  let open = 1
  for (let i = from; i < text.length; i++) {
    if (text[i] === '{') open++
    else if (text[i] === '}' && --open === 0) return i + 1
    else if (text[i] === '"' || text[i] === "'") {
      const end = stringEnd(text, i, depth)
      if (end > 0) i = end - 1
    }
  }
  return 0
}

/** Comments can be nested. */
function commentEnd(text: string, from: number): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = from
  let depth = 0
  for (let match = mark.exec(text); match; match = mark.exec(text))
    if ((depth += match[0] === '/*' ? 1 : -1) === 0) return mark.lastIndex
  return text.length
}

const KEYWORDS: Readonly<Record<string, BlockKind>> = {
  if: 'if',
  else: 'else',
  for: 'loop',
  while: 'loop',
  do: 'loop',
  when: 'switch',
  try: 'try',
  catch: 'catch',
  finally: 'finally',
  class: 'class',
  interface: 'class',
  object: 'class',
}
/** Tokens that show that a line continues the one before. */
const LEADING = new Set('. ?. && || + - * ? : => -> = == | where'.split(' '))
const TRAILING = new Set('( [ , = && || + => -> : ? . | =='.split(' '))

function blocksOf(tokens: readonly Token[]): { root: Block; owner: Block[] } {
  const root = fileBlock()
  root.body = [0, tokens.length]
  const owner: Block[] = []
  const enclosing: number[] = []
  const ends: { at: number; back: Block }[] = []
  let current = root
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    while (ends.length > 0 && ends.at(-1)!.at <= i) current = ends.pop()!.back
    owner.push(current)
    if (token.kind !== 'punct' || token.pair < 0) continue
    if (token.pair < i) enclosing.pop()
    else if (token.text !== '{') enclosing.push(i)
    else {
      const head: Range = [headStart(tokens, i, enclosing.at(-1)), i]
      const [kind, name] = kindOf(tokens, head)
      const block = openBlock(kind, head, i + 1, current, name)
      block.body = [i + 1, token.pair]
      ends.push({ at: token.pair, back: current })
      enclosing.push(i)
      current = block
    }
  }
  return { root, owner }
}

/** The head is the part of the statement before the brace. */
function headStart(tokens: readonly Token[], open: number, container?: number): number {
  const commaEnds = container !== undefined && !is(tokens[container], '{')
  for (let i = open - 1; i >= 0; i--) {
    const { text, kind, pair } = tokens[i]!
    if (kind === 'punct') {
      if ((text === ')' || text === ']') && pair >= 0) i = pair
      else if (/^[{}([;]$/.test(text) || (text === ',' && commaEnds)) return i + 1
    }
    if (tokens[i]!.first && !continuesLine(tokens, i)) return i
  }
  return 0
}

const continuesLine = (tokens: readonly Token[], i: number) =>
  LEADING.has(tokens[i]!.text) || (i > 0 && tokens[i - 1]!.kind === 'punct' && TRAILING.has(tokens[i - 1]!.text))

function kindOf(tokens: readonly Token[], head: Range): [BlockKind, string] {
  const [from, to] = head
  const last = tokens[to - 1]
  if (to === from || last === undefined) return ['object', '']
  const first = tokens.slice(from, to).find((token) => token.kind === 'word')?.text ?? ''
  const at = findAt(tokens, head, (token, i) => token.kind === 'word' && declares(tokens, i))
  const keyword = KEYWORDS[first] && KEYWORDS[first] !== 'class' ? first : tokens[at]?.text
  if (keyword === 'else')
    return [is(tokens[findAt(tokens, head, (token) => is(token, 'else')) + 1], 'if') ? 'if' : 'else', '']
  const kind = keyword === undefined ? undefined : KEYWORDS[keyword]
  if (kind !== undefined && kind !== 'class') return [kind, '']
  const name = kotlinFunction(tokens, head)
  if (name !== undefined) return ['function', name]
  if (kind) return ['class', tokens[at + 1]?.text ?? '']
  if (is(last, '->') || last.text === ')' || last.kind === 'word' || last.kind === 'string') return ['lambda', '']
  return last.kind === 'punct' && last.text !== ']' ? ['object', ''] : ['other', '']
}

/** A control keyword, or `class` and the like followed by a name. */
function declares(tokens: readonly Token[], i: number): boolean {
  const kind = KEYWORDS[tokens[i]!.text]
  if (kind === undefined || is(tokens[i - 1], '.') || is(tokens[i + 1], ':')) return false
  return kind !== 'class' || (!is(tokens[i - 1], '::') && tokens[i + 1]?.kind === 'word')
}

/** Name of the function that a head declares; undefined if it declares none. */
export function kotlinFunction(tokens: readonly Token[], head: Range): string | undefined {
  const keyword = findAt(tokens, head, (token) => is(token, 'fun'))
  if (keyword < 0) return undefined
  let i = keyword + 1
  if (is(tokens[i], '<')) while (i < head[1] && !is(tokens[i++], '>'));
  // `fun Receiver.name()`
  while (i < head[1] && is(tokens[i + 1], '.')) i += 2
  return i < head[1] && tokens[i]?.kind === 'word' ? tokens[i]!.text : ''
}
