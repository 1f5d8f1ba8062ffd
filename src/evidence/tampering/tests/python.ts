import {
  findAt,
  is,
  listItems,
  opens,
  plain,
  type Range,
  stringContent,
  type Token,
} from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, type Unit } from '../source/unit.ts'
import type { Marker, TestCase } from './model.ts'
import { rowsIn } from './tables.ts'

const SKIPS = /^(?:pytest \. mark \. skip|unittest \. skip|skip|pytest \. mark \. skip_unless\w*|mark \. skip)$/
const SKIP_IF = /^(?:pytest \. mark \. skipif|unittest \. skipIf|skipIf|mark \. skipif)$/
const SKIP_UNLESS = /^(?:unittest \. skipUnless|skipUnless)$/
const INVERTED = /^(?:pytest \. mark \. xfail|unittest \. expectedFailure|expectedFailure|mark \. xfail)$/

export function readPython(unit: Unit): TestCase[] {
  const { tokens } = unit
  const lines = logicalLines(tokens)
  const decorators = decoratorsOf(unit, lines)
  const suites = suiteMarkers(unit, lines)
  const blocks = [...descendants(unit.root)]
  const inherited = new Set(
    blocks.flatMap((block) => (block.kind === 'class' ? (basesOf(unit, block).match(/\w+/g) ?? []) : [])),
  )
  const seen = new Map<string, TestCase>()
  for (const block of blocks) {
    if (block.kind !== 'function' || !/^test/i.test(block.name)) continue
    const holders = ancestors(unit, block.head[0]).filter(({ kind }) => kind === 'class' || kind === 'function')
    if (holders.some((holder) => holder.kind === 'function' || !collects(unit, holder, inherited))) continue
    const own = decorators.get(block.head[0]) ?? []
    const classes = [...holders].reverse()
    const markers = [
      ...(suites.get(unit.root) ?? []),
      ...classes.flatMap((holder) => [
        ...decoratorMarkers(unit, decorators.get(holder.head[0]) ?? []),
        ...(suites.get(holder) ?? []),
      ]),
      ...decoratorMarkers(unit, own),
      ...bodySkips(unit, block),
    ]
    const rows = own.flatMap((decorator) => decoratorRows(unit, decorator))
    const test: TestCase = {
      kind: 'test',
      name: block.name,
      groups: classes.map(({ name }) => name),
      line: tokens[block.head[0]]!.line,
      span: [own[0]?.[0] ?? block.head[0], block.body[1]],
      body: block.body,
      markers,
      ...(rows.length > 0 && { rows }),
    }
    // A second definition with the same name replaces the first, which then never runs.
    seen.set([...test.groups, test.name, conditionAbove(unit, block)].join('\n'), test)
  }
  const deleted = deletedNames(unit, lines)
  return [...seen.values()].filter(
    ({ name, groups }) => !deleted.has(name) && !groups.some((group) => deleted.has(group)),
  )
}

/** Statements, each of which may span several lines. */
function logicalLines(tokens: readonly Token[]): Range[] {
  const lines: Range[] = []
  let start = 0
  let inside = 0
  for (let i = 0; i <= tokens.length; i++) {
    const token = tokens[i]
    if (i > start && (token === undefined || (token.first && i >= inside))) {
      lines.push([start, i])
      start = i
    }
    if (token && opens(token) && token.pair > inside) inside = token.pair + 1
  }
  return lines
}

/** Names that the module deletes or reassigns after their definition. */
function deletedNames(unit: Unit, lines: readonly Range[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const range of lines) {
    if (unit.owner[range[0]]!.kind !== 'file') continue
    const text = plain(unit.tokens, [range[0], Math.min(range[1], range[0] + 8)])
    const match =
      /^del (\w+)(?: \. (\w+))?$/.exec(text) ?? /^(Test\w*|\w+Tests?|test_\w+)(?: \. (test\w*))? = /.exec(text)
    if (match) names.add(match[2] ?? match[1]!)
  }
  return names
}

/** Two definitions in different branches of an `if` are alternatives, not replacements. */
const conditionAbove = (unit: Unit, block: Block) =>
  ancestors(unit, block.head[0])
    .filter(({ kind }) => kind === 'if' || kind === 'else')
    .map(({ head }) => head[0])
    .join()

/** pytest collects classes named Test…; a class with a base class may be a TestCase; others inherit the tests of a mixin. */
function collects(unit: Unit, block: Block, inherited: ReadonlySet<string>): boolean {
  const bases = basesOf(unit, block)
  return (
    /^Test|Tests?$|TestCase$|Mixin$/.test(block.name) ||
    inherited.has(block.name) ||
    (bases !== '' && bases !== 'object')
  )
}

function basesOf({ tokens }: Unit, { head }: Block): string {
  const open = findAt(tokens, head, (token) => is(token, '('))
  return open < 0 ? '' : plain(tokens, [open + 1, tokens[open]!.pair])
}

/** Decorator lines by the index of the `def` or `class` they belong to. */
function decoratorsOf(unit: Unit, lines: readonly Range[]): Map<number, Range[]> {
  const found = new Map<number, Range[]>()
  let waiting: Range[] = []
  for (const range of lines) {
    if (is(unit.tokens[range[0]], '@')) waiting.push([range[0] + 1, range[1]])
    else {
      if (waiting.length > 0) found.set(range[0], waiting)
      waiting = []
    }
  }
  return found
}

const decoratorMarkers = (unit: Unit, decorators: readonly Range[]) =>
  decorators.flatMap((range) => markersOf(unit, range))

/** The markers in `pytest.mark.skipif(condition, reason=…)` and the like, as a decorator or as a value of pytestmark. */
function markersOf(unit: Unit, range: Range): Marker[] {
  const { tokens } = unit
  const open = findAt(tokens, range, (token) => is(token, '('))
  const name = plain(tokens, [range[0], open < 0 ? range[1] : open])
  const line = tokens[range[0]]!.line
  const text = `@${plain(tokens, range)}`
  const first = open < 0 ? undefined : listItems(tokens, open)[0]
  const condition =
    first && !is(tokens[first[0] + 1], '=') && tokens[first[0]]!.kind !== 'string' ? plain(tokens, first) : undefined
  if (SKIPS.test(name)) return [{ kind: 'skip', text, line }]
  if (SKIP_IF.test(name)) {
    const conditionText =
      first && tokens[first[0]]!.kind === 'string' ? stringContent(tokens[first[0]]!.text) : undefined
    return [
      {
        kind: 'skip',
        text,
        line,
        ...((condition ?? conditionText) !== undefined && { condition: condition ?? conditionText! }),
      },
    ]
  }
  if (SKIP_UNLESS.test(name)) return [{ kind: 'skip', text, line, condition: `not ( ${condition ?? ''} )` }]
  if (INVERTED.test(name)) return [{ kind: 'inverted', text, line, ...(condition !== undefined && { condition }) }]
  return []
}

/** `pytestmark = …`, `__test__ = False`, `pytest.skip(allow_module_level=True)` in a module or class. */
function suiteMarkers(unit: Unit, lines: readonly Range[]): Map<Block, Marker[]> {
  const { tokens } = unit
  const found = new Map<Block, Marker[]>()
  for (const range of lines) {
    const [from, to] = range
    const block = unit.owner[from]!
    const file = block.kind === 'file'
    if (!file && block.kind !== 'class') continue
    const line = tokens[from]!.line
    const text = plain(tokens, [from, Math.min(to, from + 40)])
    const markers: Marker[] = []
    if (is(tokens[from], 'pytestmark') && is(tokens[from + 1], '=')) {
      const list = is(tokens[from + 2], '[') ? listItems(tokens, from + 2) : [[from + 2, to] as Range]
      markers.push(...list.flatMap((item) => markersOf(unit, item)))
    } else if (/^__test__ = False$/.test(text)) markers.push({ kind: 'skip', text, line })
    else if (file && MODULE_SKIP.test(text)) markers.push({ kind: 'skip', text, line })
    else if (file && /\bimportorskip \(/.test(text))
      markers.push({ kind: 'skip', text, line, condition: `missing ${text.split('"')[1] ?? ''}` })
    if (markers.length > 0) found.set(block, [...(found.get(block) ?? []), ...markers])
  }
  return found
}

const MODULE_SKIP = /^(?:pytest \. skip \(|raise (?:unittest \. )?SkipTest|pytest \. exit \(|sys \. exit \()/
const BODY_SKIP = /^(?:return )?(?:pytest \. (?:skip|xfail)|self \. skipTest|raise (?:unittest \. )?SkipTest)\b/

/** A skip in the test's body; with a condition if it is inside an `if`. */
function bodySkips(unit: Unit, test: Block): Marker[] {
  const { tokens } = unit
  const markers: Marker[] = []
  for (let i = test.body[0]; i < test.body[1]; i++) {
    const starts = tokens[i]!.first || is(tokens[i - 1], ':') || is(tokens[i - 1], ';')
    if (!starts || !BODY_SKIP.test(plain(tokens, [i, Math.min(i + 6, test.body[1])]))) continue
    const holders = ancestors(unit, i, test)
    if (holders.some(({ kind }) => kind === 'function' || kind === 'else' || kind === 'loop')) continue
    // One kind of error can mean that something is missing. Any error at all is a failure.
    const caught = holders.find(({ kind }) => kind === 'catch')
    if (
      caught &&
      !/^except(?: (?:Exception|BaseException|AssertionError)(?: as \w+)?)?$/.test(plain(tokens, caught.head))
    )
      continue
    const tests = holders.filter(({ kind }) => kind === 'if')
    const condition = tests.map(({ head }) => plain(tokens, [head[0] + 1, head[1]])).join(' and ')
    let end = i + 1
    while (end < test.body[1] && !tokens[end]!.first) end++
    const text = plain(tokens, [i, end])
    markers.push({ kind: 'skip', text, line: tokens[i]!.line, ...(condition !== '' && { condition }) })
  }
  return markers
}

function decoratorRows(unit: Unit, range: Range): string[] {
  const { tokens } = unit
  const open = findAt(tokens, range, (token) => is(token, '('))
  if (open < 0) return []
  const name = plain(tokens, [range[0], open])
  if (name === 'example' || name === 'hypothesis . example') return [plain(tokens, range)]
  if (!/parametrize$|parameterized \. expand$|ddt \. data$|^data$/.test(name)) return []
  const args = listItems(tokens, open)
  const values =
    args.find(([from], i) => (i === 1 && !is(tokens[from + 1], '=')) || is(tokens[from], 'argvalues')) ??
    (args.length === 1 ? args[0] : undefined)
  return values ? rowsIn(unit, is(tokens[values[0]], 'argvalues') ? [values[0] + 2, values[1]] : values) : []
}
