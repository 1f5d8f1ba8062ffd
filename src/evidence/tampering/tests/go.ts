import { findAt, is, listItems, plain, type Range, stringContent } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, type Unit } from '../source/unit.ts'
import type { Marker, TestCase } from './model.ts'

const TEST = /^(?:Test(?![a-z])|Benchmark(?![a-z])|Fuzz(?![a-z])|Example)/
const SKIP = /^(?:Skip|Skipf|SkipNow)$/

export function readGo(unit: Unit): TestCase[] {
  const { tokens } = unit
  const tests: TestCase[] = []
  const file = buildMarkers(unit.text)
  const skippers = skippingHelpers(unit)
  for (const block of descendants(unit.root)) {
    if (block.kind !== 'function' || !TEST.test(block.name) || block.parent !== unit.root || block.name === 'TestMain')
      continue
    const suite = receiver(unit, block)
    const groups = suite === undefined ? [] : [suite]
    const markers = [...file, ...bodySkips(unit, block.body, block), ...calledSkips(unit, block, skippers)]
    const line = tokens[block.head[0]]!.line
    tests.push({
      kind: 'test',
      name: block.name,
      groups,
      line,
      span: [block.head[0], block.body[1]],
      body: block.body,
      markers,
    })
    for (const test of subtests(unit, block, [...groups, block.name], markers)) tests.push(test)
  }
  return tests
}

/** Functions in the file that skip the calling test. */
function skippingHelpers(unit: Unit): ReadonlyMap<string, readonly Marker[]> {
  const helpers = unit.root.children.filter(({ kind, name }) => kind === 'function' && !TEST.test(name))
  return new Map(
    helpers
      .map((block) => [block.name, bodySkips(unit, block.body, block)] as const)
      .filter(([, skips]) => skips.length > 0),
  )
}

/** Calls of such a function in the test. */
function calledSkips({ tokens }: Unit, test: Block, skippers: ReadonlyMap<string, readonly Marker[]>): Marker[] {
  const markers: Marker[] = []
  if (skippers.size === 0) return markers
  findAt(tokens, test.body, (token, i) => {
    if (token.first && is(tokens[i + 1], '('))
      markers.push(...(skippers.get(token.text) ?? []).map((marker) => ({ ...marker, line: token.line })))
    return false
  })
  return markers
}

function receiver(unit: Unit, { head }: Block): string | undefined {
  const open = unit.tokens[head[0] + 1]
  return is(open, '(') && open!.pair > 0 ? unit.tokens[open!.pair - 1]!.text : undefined
}

/** `t.Run("name", func(t *testing.T) {…})`. A computed name belongs to a table, and so to the test around it. */
function subtests(unit: Unit, test: Block, groups: readonly string[], inherited: readonly Marker[]): TestCase[] {
  const { tokens } = unit
  const found: TestCase[] = []
  for (const block of descendants(test)) {
    if (block.kind !== 'function' && block.kind !== 'lambda') continue
    let open = block.head[0] - 1
    while (open > 0 && !is(tokens[open], '(')) open--
    if (!is(tokens[open - 1], 'Run') || !is(tokens[open - 2], '.') || tokens[open]!.pair < block.body[1]) continue
    const name = listItems(tokens, open)[0]
    if (!name || tokens[name[0]]!.kind !== 'string' || name[1] - name[0] > 1) continue
    const own = bodySkips(unit, block.body, block)
    found.push({
      kind: 'test',
      name: stringContent(tokens[name[0]]!.text),
      groups,
      line: tokens[open]!.line,
      span: [open - 3, tokens[open]!.pair + 1],
      body: block.body,
      markers: [...inherited, ...own],
    })
  }
  return found
}

/** `t.Skip()` in the test itself. Inside a closure, it belongs to the closure. */
function bodySkips(unit: Unit, body: Range, test: Block): Marker[] {
  const { tokens } = unit
  const markers: Marker[] = []
  for (let i = body[0]; i < body[1]; i++) {
    if (!SKIP.test(tokens[i]!.text) || !is(tokens[i - 1], '.') || !is(tokens[i + 1], '(')) continue
    const holders = ancestors(unit, i, test)
    if (holders.some(({ kind }) => kind === 'function' || kind === 'lambda' || kind === 'loop')) continue
    const conditions = holders.filter(({ kind }) => kind === 'if').map(({ head }) => conditionOf(unit, head))
    const text = plain(tokens, [i - 2, tokens[i + 1]!.pair + 1])
    const condition = conditions.join(' && ')
    markers.push({ kind: 'skip', text, line: tokens[i]!.line, ...(condition !== '' && { condition }) })
  }
  return markers
}

/** The condition of an `if`, without the statement before its semicolon. */
function conditionOf(unit: Unit, [from, to]: Range): string {
  const semicolon = findAt(unit.tokens, [from, to], (token) => is(token, ';'))
  const start = semicolon < 0 ? findAt(unit.tokens, [from, to], (token) => is(token, 'if')) : semicolon
  return plain(unit.tokens, [start + 1, to])
}

/** Build constraints above the package clause: without a match, the file is not compiled. */
function buildMarkers(text: string): Marker[] {
  const markers: Marker[] = []
  for (const [i, line] of text.split('\n', 60).entries()) {
    if (/^package\s/.test(line)) break
    const match = /^\/\/\s?(?:go:build|\+build)\s+(.*\S)\s*$/.exec(line)
    // A constraint that is true on an ordinary machine leaves nothing out.
    if (match && !holdsHere(match[1]!))
      markers.push({ kind: 'skip', text: line.trim(), line: i + 1, condition: `build constraint ${match[1]}` })
  }
  return markers
}

/** Whether a build constraint is true on Linux without custom tags. */
function holdsHere(constraint: string): boolean {
  const known = /^(?:linux|unix|amd64|arm64|cgo|gc|go1\.\d+|test)$/
  if (/^[\w.!,\s]+$/.test(constraint) && !/&&|\|\|/.test(constraint)) {
    // The older form: a space means or, a comma means and.
    return constraint
      .trim()
      .split(/\s+/)
      .some((option) => option.split(',').every((term) => known.test(term.replace(/^!/, '')) !== term.startsWith('!')))
  }
  const parts = constraint.split(/\s*\|\|\s*/)
  return parts.some((part) =>
    part.split(/\s*&&\s*/).every((term) => {
      const bare = term.replace(/[()\s]/g, '')
      return known.test(bare.replace(/^!/, '')) !== bare.startsWith('!')
    }),
  )
}
