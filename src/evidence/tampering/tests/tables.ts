import { findAt, is, listItems, opens, plain, type Range, stringContent } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, type Unit } from '../source/unit.ts'

/** A longer list is data, not a table of test cases. */
const MANY = 5000

/** The rows of a table: a list, the name of a list, or a template with one row per line. */
export function rowsIn(unit: Unit, range: Range): string[] {
  const { tokens } = unit
  const first = tokens[range[0]]
  if (!first) return []
  if (first.kind === 'string' && first.text.startsWith('`')) {
    return stringContent(first.text)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .slice(1)
  }
  const open = listOpen(unit, range)
  if (open >= 0) return items(unit, open)
  for (let i = range[0]; i < range[1]; i++) {
    if (tokens[i]!.kind !== 'word' || is(tokens[i - 1], '.')) continue
    const named = namedList(unit, tokens[i]!.text, i)
    if (named.length > 0) return named
  }
  return []
}

function items(unit: Unit, open: number): string[] {
  const list = listItems(unit.tokens, open)
  if (list.length > MANY) return []
  // The rows of a table contain values. A list of names is something the test uses.
  const valued = list.filter(([from, to]) =>
    unit.tokens
      .slice(from, to)
      .some(
        ({ kind, text }) =>
          (kind !== 'word' && kind !== 'punct') || /^(?:true|false|True|False|null|None|nil)$/.test(text),
      ),
  )
  return valued.length * 2 < list.length ? [] : list.map((item) => plain(unit.tokens, item))
}

/** The list that a name has in this file: the nearest before its use, or else the first after it. */
function namedList(unit: Unit, name: string, use: number): string[] {
  const { tokens } = unit
  const given = (i: number): string[] => {
    if (tokens[i]!.text !== name || tokens[i]!.kind !== 'word') return []
    const equals = is(tokens[i + 1], ':')
      ? findAt(tokens, [i + 1, Math.min(i + 40, tokens.length)], (token) => is(token, '='))
      : i + 1
    const property = unit.language === 'csharp' && is(tokens[equals], '=>')
    if (!is(tokens[equals], '=') && !is(tokens[equals], ':=') && !property) return []
    const open = listOpen(unit, [equals + 1, tokens.length])
    return open >= 0 ? items(unit, open) : []
  }
  for (let i = use - 1; i >= 0; i--) {
    const rows = given(i)
    if (rows.length > 0) return rows
  }
  for (let i = use + 1; i < tokens.length; i++) {
    const rows = given(i)
    if (rows.length > 0) return rows
  }
  return []
}

/** Index of the bracket of a list at the start of a range, after its type if it has one; -1 if there is no list. */
function listOpen(unit: Unit, [from, to]: Range): number {
  const { tokens, language } = unit
  for (let i = from; i < Math.min(to, from + 60); i++) {
    const token = tokens[i]!
    if (!opens(token)) {
      if (token.kind === 'word' || token.kind === 'number' || /^[!&.<>*?,]$/.test(token.text) || token.text === '::') {
        if (token.first && i > from && !is(tokens[i - 1], '.')) return -1
        continue
      }
      return -1
    }
    if (token.pair < 0) return -1
    const typeBracket =
      language === 'go' && (token.text === '[' || is(tokens[i - 1], 'struct') || is(tokens[i - 1], 'interface'))
    // `new() { … }`
    const target = language === 'csharp' && token.text === '(' && token.pair === i + 1 && is(tokens[i - 1], 'new')
    const arrayType =
      (language === 'java' || language === 'csharp' || language === 'kotlin') &&
      token.text === '[' &&
      token.pair === i + 1
    if (typeBracket || arrayType || target) {
      i = token.pair
      continue
    }
    if (
      token.text === '(' &&
      language !== 'python' &&
      !/^(?:of|asList|listOf|arrayOf|arrayListOf|freeze|entries|mapOf|setOf)$/.test(tokens[i - 1]?.text ?? '')
    )
      return -1
    if (token.text === '(' && language === 'python' && i > from) return -1
    return i
  }
  return -1
}

const ITERATED: Readonly<Record<string, RegExp>> = {
  javascript: /^of$|^in$/,
  python: /^in$/,
  go: /^range$/,
  rust: /^in$/,
  java: /^:$/,
  kotlin: /^in$/,
  csharp: /^in$/,
  ruby: /^in$/,
  php: /^\($/,
}
const EACH = /^(?:each|forEach|each_with_index|each_pair|map|entries|flatMap|for_each)$/

/** The rows of lists that a test loops over, or that a loop around the test uses. */
export function loopRows(unit: Unit, test: Range): string[] {
  const blocks = [...ancestors(unit, test[0]), ...inner(unit, test)]
  return blocks.flatMap((block) => blockRows(unit, block))
}

function* inner(unit: Unit, [from, to]: Range): Generator<Block> {
  const outer = unit.owner[from] ?? unit.root
  for (const block of descendants(outer)) if (block.head[0] >= from && block.body[1] <= to) yield block
}

function blockRows(unit: Unit, block: Block): string[] {
  const { tokens, language } = unit
  if (block.kind === 'loop') {
    const pattern = ITERATED[language]!
    const at = lastFit(unit, block.head, pattern)
    return at < 0 ? [] : rowsIn(unit, [at + 1, block.head[1]])
  }
  if (block.kind !== 'lambda' && block.kind !== 'function') return []
  // The head of an arrow function begins after the bracket of the surrounding call.
  const start = language === 'ruby' || language === 'kotlin' ? block.head[0] : callBefore(unit, block.head[0])
  const each =
    start < 0
      ? -1
      : findAt(tokens, [start, block.head[1]], (token, i) => EACH.test(token.text) && is(tokens[i - 1], '.'))
  return each < 0 ? [] : rowsIn(unit, [start, each - 1])
}

function lastFit(unit: Unit, [from, to]: Range, pattern: RegExp): number {
  for (let i = to - 1; i >= from; i--)
    if (pattern.test(unit.tokens[i]!.text) && unit.tokens[i]!.kind !== 'string') return i
  return -1
}

/** Start of `list.forEach(` if the function at `from` is its argument; -1 otherwise. */
function callBefore(unit: Unit, from: number): number {
  const { tokens } = unit
  const open = is(tokens[from], '(') ? from - 1 : from - 1
  if (!is(tokens[open], '(') || !EACH.test(tokens[open - 1]?.text ?? '')) return -1
  let i = open - 2
  while (i > 0 && !tokens[i]!.first && !is(tokens[i], ';') && !is(tokens[i], '{')) {
    i = tokens[i]!.pair >= 0 && tokens[i]!.pair < i ? tokens[i]!.pair : i
    if (tokens[i]!.first) break
    i--
  }
  return tokens[i]!.pair >= 0 && tokens[i]!.pair < i ? tokens[i]!.pair : i
}
