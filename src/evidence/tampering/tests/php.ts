import { findAt, is, listItems, plain, type Range, stringContent } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, type Unit } from '../source/unit.ts'
import { functionBody } from './javascript.ts'
import type { Marker, TestCase } from './model.ts'
import { rowsIn } from './tables.ts'

export function readPhp(unit: Unit): TestCase[] {
  return [...methods(unit), ...pest(unit)]
}

/** PHPUnit: methods named test…, or with an annotation or attribute. */
function methods(unit: Unit): TestCase[] {
  const { tokens } = unit
  return [...descendants(unit.root)].flatMap((block): TestCase[] => {
    if (block.kind !== 'function' || block.parent?.kind !== 'class') return []
    const start = declarationStart(unit, block.head[0])
    const notes = [...new Set([tokens[start]?.doc, tokens[block.head[0]]?.doc])]
      .filter((doc) => doc !== undefined)
      .join('\n')
    const attributes =
      start < block.head[0] || is(tokens[start], '#') ? plain(tokens, [start, attributesEnd(unit, start)]) : ''
    if (!/^test/i.test(block.name) && !/@test\b/.test(notes) && !/\bTest\b/.test(attributes)) return []
    const line = tokens[block.head[0]]!.line
    const providers = [
      ...notes.matchAll(/@dataProvider\s+(\w+)/g),
      ...attributes.matchAll(/DataProvider \( "(\w+)"/g),
    ].map((match) => match[1]!)
    const rows = [
      ...providers.flatMap((name) => providedRows(unit, name)),
      ...(attributes.match(/TestWith(?:Json)? \(/g) ?? []),
      ...(notes.match(/@testWith/g) ?? []),
    ]
    const classes = ancestors(unit, block.head[0])
      .filter(({ kind }) => kind === 'class')
      .reverse()
    return [
      {
        kind: 'test',
        name: block.name,
        groups: classes.map(({ name }) => name),
        line,
        span: [start, block.body[1]],
        body: block.body,
        markers: [
          ...classes.flatMap((holder) => abstractClass(unit, holder)),
          ...noteMarkers(notes, attributes, line),
          ...inaccessible(unit, block),
          ...bodySkips(unit, block),
        ],
        ...(rows.length > 0 && { rows }),
      },
    ]
  })
}

/** Attributes `#[…]` come before the head. */
function declarationStart({ tokens }: Unit, head: number): number {
  let start = head
  while (is(tokens[start - 1], ']') && tokens[start - 1]!.pair > 0 && is(tokens[tokens[start - 1]!.pair - 1], '#'))
    start = tokens[start - 1]!.pair - 1
  return start
}

function attributesEnd({ tokens }: Unit, from: number): number {
  let end = from
  while (is(tokens[end], '#') && is(tokens[end + 1], '[') && tokens[end + 1]!.pair > 0) end = tokens[end + 1]!.pair + 1
  return end
}

function noteMarkers(notes: string, attributes: string, line: number): Marker[] {
  const markers: Marker[] = []
  const requires = /@requires\s+(.*)/.exec(notes)?.[1] ?? /Requires\w+ \( ([^)]*)\)/.exec(attributes)?.[1]
  if (requires !== undefined)
    markers.push({ kind: 'skip', text: `requires ${requires.trim()}`, line, condition: `missing ${requires.trim()}` })
  const group = /@group\s+(\S+)/.exec(notes)?.[1] ?? /\bGroup \( "([^"]*)"/.exec(attributes)?.[1]
  if (group !== undefined)
    markers.push({ kind: 'skip', text: `group ${group}`, line, condition: `group ${group} is left out` })
  if (/@expectedException\b/.test(notes)) markers.push({ kind: 'inverted', text: '@expectedException', line })
  return markers
}

/** PHPUnit runs public methods only. */
function inaccessible({ tokens }: Unit, { head }: Block): Marker[] {
  const at = findAt(tokens, head, (token) => /^(?:private|protected)$/.test(token.text))
  return at < 0 ? [] : [{ kind: 'skip', text: tokens[at]!.text, line: tokens[at]!.line }]
}

function abstractClass({ tokens }: Unit, { head }: Block): Marker[] {
  const at = findAt(tokens, head, (token) => is(token, 'abstract'))
  return at < 0 ? [] : [{ kind: 'skip', text: 'abstract class', line: tokens[at]!.line, condition: 'abstract' }]
}

function bodySkips(unit: Unit, test: Block): Marker[] {
  const { tokens } = unit
  const markers: Marker[] = []
  for (let i = test.body[0]; i < test.body[1]; i++) {
    if (!/^(?:markTestSkipped|markTestIncomplete)$/.test(tokens[i]!.text)) continue
    const holders = ancestors(unit, i, test)
    if (holders.some(({ kind }) => kind === 'catch' || kind === 'loop' || kind === 'else' || kind === 'function'))
      continue
    const conditions = holders
      .filter(({ kind }) => kind === 'if')
      .map(({ head }) => plain(tokens, [head[0] + 1, head[1]]))
    const condition = conditions.join(' && ')
    const constant = condition === '( true )'
    markers.push({
      kind: 'skip',
      text: tokens[i]!.text,
      line: tokens[i]!.line,
      ...(condition !== '' && !constant && { condition }),
    })
  }
  return markers
}

/** Rows that a data provider returns or yields. */
function providedRows(unit: Unit, name: string): string[] {
  const { tokens } = unit
  for (const block of descendants(unit.root)) {
    if (block.kind !== 'function' || block.name !== name) continue
    const rows: string[] = []
    // The rows of a provider with a loop can't be counted.
    if (block.children.some(({ kind }) => kind === 'loop')) return []
    for (let i = block.body[0]; i < block.body[1]; i++) {
      if (is(tokens[i], 'yield')) {
        const end = findAt(tokens, [i, block.body[1]], (token) => is(token, ';'))
        rows.push(plain(tokens, [i + 1, end < 0 ? block.body[1] : end]))
      } else if (is(tokens[i], 'return')) {
        for (const row of rowsIn(unit, [i + 1, block.body[1]])) rows.push(row)
      }
    }
    return rows
  }
  return []
}

const PEST: Readonly<Record<string, Marker['kind']>> = {
  skip: 'skip',
  todo: 'skip',
  only: 'focus',
  fails: 'inverted',
  throws: 'inverted',
}

/** Pest: `it('name', function () {…})->skip()`. */
function pest(unit: Unit): TestCase[] {
  const { tokens } = unit
  const groups: { name: string; end: number }[] = []
  const found: TestCase[] = []
  for (let i = 0; i < tokens.length; i++) {
    while (groups.length > 0 && groups.at(-1)!.end <= i) groups.pop()
    const token = tokens[i]!
    if (token.kind !== 'word' || !/^(?:it|test|describe|todo)$/.test(token.text) || !is(tokens[i + 1], '(')) continue
    if (is(tokens[i - 1], '->') || is(tokens[i - 1], '::') || is(tokens[i - 1], 'function')) continue
    const args = listItems(tokens, i + 1)
    const first = args[0]
    if (!first || tokens[first[0]]!.kind !== 'string' || tokens[i + 1]!.pair < 0) continue
    const name = stringContent(tokens[first[0]]!.text)
    const body = args
      .slice(1)
      .map((arg) => functionBody(tokens, arg))
      .find((range) => range !== undefined)
    const { end, markers, rows } = chain(unit, tokens[i + 1]!.pair + 1)
    if (token.text === 'describe') {
      groups.push({ name, end: tokens[i + 1]!.pair })
      continue
    }
    const own: Marker[] = body ? markers : [...markers, { kind: 'skip', text: 'no body', line: token.line }]
    const base = {
      kind: 'test' as const,
      name,
      groups: groups.map((group) => group.name),
      line: token.line,
      span: [i, end] as Range,
    }
    found.push({ ...base, ...(body && { body }), markers: own, ...(rows.length > 0 && { rows }) })
  }
  return found
}

/** `->with([...])->skip(condition)` after a declaring call. */
function chain(unit: Unit, from: number): { end: number; markers: Marker[]; rows: string[] } {
  const { tokens } = unit
  const markers: Marker[] = []
  const rows: string[] = []
  let i = from
  while (is(tokens[i], '->') && tokens[i + 1]?.kind === 'word') {
    const word = tokens[i + 1]!
    const open = is(tokens[i + 2], '(') && tokens[i + 2]!.pair > 0 ? i + 2 : -1
    const args = open < 0 ? [] : listItems(tokens, open)
    const kind = PEST[word.text]
    const condition =
      args[0] && tokens[args[0][0]]!.kind !== 'string' && plain(tokens, args[0]) !== 'true'
        ? plain(tokens, args[0])
        : undefined
    if (kind && word.text !== 'throws')
      markers.push({ kind, text: `->${word.text}()`, line: word.line, ...(condition !== undefined && { condition }) })
    if (word.text === 'with' && args[0]) for (const row of rowsIn(unit, args[0])) rows.push(row)
    i = open < 0 ? i + 2 : tokens[open]!.pair + 1
  }
  return { end: i, markers, rows }
}
