import { findAt, is, listItems, plain, type Range, stringContent, type Token } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, type Unit } from '../source/unit.ts'
import { expressionBodies } from './kotlin.ts'
import type { Marker, TestCase } from './model.ts'
import { rowsIn } from './tables.ts'

/** An annotation `@Name(args)` or one attribute of `[Name(args), Other]`. */
interface Annotation {
  readonly name: string
  readonly args: readonly Range[]
  readonly line: number
  readonly text: string
  readonly start: number
}

const TEST =
  /^(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Example|Fact|Theory|TestCase|TestCaseSource|TestMethod|DataTestMethod|SkippableFact|SkippableTheory|StaFact|WpfFact|AsyncTest|Scenario)$/
const SKIP = /^(?:Disabled|Ignore|Ignored|Explicit)$/
const SKIP_IF = /^(?:DisabledOn\w+|DisabledIf\w*|DisabledInNativeImage)$/
const RUN_IF = /^(?:EnabledOn\w+|EnabledIf\w*)$/
const INVERTED = /^(?:ExpectedException|ExpectedFailure|Failing)$/
const ROW = /^(?:InlineData|TestCase|DataRow|InlineAutoData)$/
const TABLE = /^(?:CsvSource|ValueSource|Values|Arguments)$/
const SOURCE = /^(?:MethodSource|MemberData|TestCaseSource|DynamicData|DataProvider|Parameters|FieldSource)$/

/** Tests of JUnit, TestNG, kotlin.test, xUnit, NUnit and MSTest: methods with an annotation. */
export function readAnnotated(unit: Unit): TestCase[] {
  const { tokens, language } = unit
  const tests: TestCase[] = []
  for (const block of [...methods(unit), ...expressionBodies(unit)]) {
    const notes = annotationsBefore(unit, block.head[0])
    const classes = ancestors(unit, block.head[0])
      .filter(({ kind }) => kind === 'class')
      .reverse()
    const isJUnit3 =
      /^test[A-Z_]/.test(block.name) &&
      / \( \)/.test(plain(tokens, block.head)) &&
      classes.some((holder) => /\bTestCase\b/.test(plain(tokens, holder.head)))
    if (
      !isJUnit3 &&
      !notes.some(
        ({ name, args }) => TEST.test(name) && !(name === 'TestCase' && language !== 'csharp' && args.length === 0),
      )
    )
      continue
    const markers = [
      ...classes.flatMap((holder) => [
        ...annotationsBefore(unit, holder.head[0]).flatMap((note) => markersOf(tokens, note, true)),
        ...abstractClass(tokens, holder),
      ]),
      ...notes.flatMap((note) => markersOf(tokens, note, false)),
      ...directives(unit, block.head[0]),
      ...inaccessible(unit, block),
      ...bodySkips(unit, block.body),
    ]
    const rows = notes.flatMap((note) => rowsOf(unit, note))
    tests.push({
      kind: 'test',
      name: bare(block.name),
      groups: classes.map(({ name }) => name),
      line: tokens[block.head[0]]!.line,
      span: [notes[0]?.start ?? block.head[0], block.body[1]],
      body: block.body,
      markers,
      ...(rows.length > 0 && { rows }),
    })
  }
  return tests
}

const bare = (name: string) => name.replace(/^`(.*)`$/, '$1')

function methods(unit: Unit): Block[] {
  return [...descendants(unit.root)].filter(
    ({ kind, name, parent }) =>
      kind === 'function' && name !== '' && (parent?.kind === 'class' || parent?.kind === 'file'),
  )
}

/** Annotations before a declaration, and those at the start of its head. */
export function annotationsBefore(unit: Unit, head: number): Annotation[] {
  const { tokens, language } = unit
  const notes: Annotation[] = []
  const take = (start: number, from: number, to: number) => {
    const open = findAt(tokens, [from, to], (token) => is(token, '('))
    const words = plain(tokens, [from, open < 0 ? to : open])
      .split(' ')
      .filter((word) => /^[\p{L}_]/u.test(word))
    const name = (words.at(-1) ?? '').replace(/Attribute$/, '')
    notes.push({
      name,
      args: open < 0 ? [] : listItems(tokens, open),
      line: tokens[from]!.line,
      text: plain(tokens, [from, to]),
      start,
    })
  }
  let i = firstAnnotation(tokens, head, language)
  while (i < tokens.length) {
    if (language === 'csharp') {
      if (!is(tokens[i], '[') || tokens[i]!.pair < 0) break
      for (const [from, to] of listItems(tokens, i)) take(i, is(tokens[from + 1], ':') ? from + 2 : from, to)
      i = tokens[i]!.pair + 1
    } else {
      if (!is(tokens[i], '@') || tokens[i + 1]?.kind !== 'word') break
      let end = i + 2
      while (is(tokens[end], '.') || is(tokens[end], ':')) end += 2
      if (is(tokens[end], '(') && tokens[end]!.pair > 0) end = tokens[end]!.pair + 1
      take(i, i + 1, end)
      i = end
    }
    if (i > head && notes.length > 40) break
  }
  return notes
}

/** Goes back over annotations and their arguments. */
function firstAnnotation(tokens: readonly Token[], head: number, language: string): number {
  let start = head
  for (;;) {
    const before = start - 1
    const end = tokens[before]
    if (language === 'csharp') {
      if (!is(end, ']') || end!.pair < 0) return start
      start = end!.pair
    } else {
      let i = is(end, ')') && end!.pair >= 0 ? end!.pair - 1 : before
      while (i > 1 && tokens[i]!.kind === 'word' && is(tokens[i - 1], '.')) i -= 2
      if (tokens[i]?.kind !== 'word' || !is(tokens[i - 1], '@')) return start
      start = i - 1
    }
  }
}

function markersOf(tokens: readonly Token[], { name, args, line, text }: Annotation, onClass: boolean): Marker[] {
  const shown = `@${text}`
  if (SKIP.test(name)) return [{ kind: 'skip', text: shown, line }]
  if (SKIP_IF.test(name)) return [{ kind: 'skip', text: shown, line, condition: text }]
  if (RUN_IF.test(name)) return [{ kind: 'skip', text: shown, line, condition: `not ( ${text} )` }]
  if (INVERTED.test(name) && !onClass) return [{ kind: 'inverted', text: shown, line }]
  if (!TEST.test(name) && !ROW.test(name)) return []
  return args.flatMap((arg): Marker[] => {
    const option = plain(tokens, arg)
    if (/^(?:Skip|Ignore|IgnoreReason|Explicit) = (?!null)/.test(option) || option === 'enabled = false')
      return [{ kind: 'skip', text: shown, line }]
    if (/^(?:expected|expectedExceptions) = /.test(option)) return [{ kind: 'inverted', text: shown, line }]
    return []
  })
}

/** JUnit and similar runners don't run an abstract class itself. */
function abstractClass(tokens: readonly Token[], { head }: Block): Marker[] {
  const at = findAt(tokens, head, (token) => is(token, 'abstract'))
  return at < 0 ? [] : [{ kind: 'skip', text: 'abstract class', line: tokens[at]!.line, condition: 'abstract' }]
}

/** Runners ignore methods they can't call. */
function inaccessible({ tokens, language }: Unit, { head }: Block): Marker[] {
  const words = language === 'csharp' ? /^(?:private|protected|internal)$/ : /^private$/
  const at = findAt(tokens, head, (token) => token.kind === 'word' && words.test(token.text))
  return at < 0 ? [] : [{ kind: 'skip', text: tokens[at]!.text, line: tokens[at]!.line }]
}

const BODY_SKIP =
  /^(?:(?:Assume|Assumptions) \. )?(?:assumeTrue|assumeFalse|assumeThat|abort)$|^Assert \. (?:Ignore|Inconclusive|Pass|Skip)$|^Skip \. (?:If|IfNot)$/

/** Assumptions that can fail, and calls that end a test without a result in NUnit and MSTest. */
function bodySkips(unit: Unit, body: Range): Marker[] {
  const { tokens } = unit
  const markers: Marker[] = []
  findAt(tokens, body, (token, i) => {
    if (!is(token, '(') || token.pair < 0) return false
    const from = is(tokens[i - 2], '.') ? i - 3 : i - 1
    const callee = plain(tokens, [Math.max(from, body[0]), i])
    if (!BODY_SKIP.test(callee) && !(callee.startsWith('org ') && /assum/i.test(callee))) return false
    const args = listItems(tokens, i).map((arg) => plain(tokens, arg))
    const text = plain(tokens, [from, token.pair + 1])
    const skips = /Ignore|Inconclusive|Pass|abort|Skip$/.test(callee)
    const condition = skips
      ? undefined
      : /assumeTrue|IfNot|assumeThat/.test(callee)
        ? `not ( ${args.join(' , ')} )`
        : args.join(' , ')
    const constant =
      condition === 'not ( false )' || condition === 'true' || /^not \( "[^"]*" , false \)$/.test(condition ?? '')
    markers.push({ kind: 'skip', text, line: token.line, ...(condition !== undefined && !constant && { condition }) })
    return false
  })
  return markers
}

/** `#if NAME` above a C# method: it is compiled only if the name is defined. */
function directives(unit: Unit, at: number): Marker[] {
  if (unit.language !== 'csharp' || !unit.text.includes('#if')) return []
  const open: Marker[] = []
  const until = unit.tokens[at]!.line
  for (const [i, line] of unit.text.split('\n').slice(0, until).entries()) {
    const match = /^\s*#(if|elif|else|endif)\b\s*(.*?)\s*$/.exec(line)
    if (match?.[1] === 'if') {
      const never = match[2] === 'false'
      open.push({ kind: 'skip', text: line.trim(), line: i + 1, ...(!never && { condition: `!(${match[2]})` }) })
    } else if (match?.[1] === 'endif') open.pop()
  }
  return open
}

function rowsOf(unit: Unit, note: Annotation): string[] {
  const { tokens } = unit
  if (ROW.test(note.name)) return note.args.length > 0 ? [note.text] : []
  if (TABLE.test(note.name)) {
    return note.args.flatMap((arg) => {
      const open = findAt(tokens, arg, (token) => is(token, '{') || is(token, '['))
      if (open >= 0) return listItems(tokens, open).map((item) => plain(tokens, item))
      const block = tokens[arg[1] - 1]!
      return block.text.startsWith('"""')
        ? stringContent(block.text)
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== '')
        : [plain(tokens, arg)]
    })
  }
  if (!SOURCE.test(note.name)) return []
  return note.args.flatMap((arg) =>
    sourceRows(
      unit,
      tokens.slice(arg[0], arg[1]).map((token) => (token.kind === 'string' ? stringContent(token.text) : token.text)),
    ),
  )
}

/** Rows from a method or field in the same file. */
function sourceRows(unit: Unit, names: readonly string[]): string[] {
  for (const block of descendants(unit.root)) {
    if (block.kind !== 'function' || !names.includes(block.name)) continue
    const yields = unit.tokens.flatMap((token, i) =>
      is(token, 'yield') && i >= block.body[0] && i < block.body[1] ? [plain(unit.tokens, [i, i + 20])] : [],
    )
    if (yields.length > 0) return yields
    const from = findAt(unit.tokens, block.body, (token) => is(token, 'return') || is(token, 'of'))
    return from < 0 ? [] : rowsIn(unit, [is(unit.tokens[from], 'of') ? from : from + 1, block.body[1]])
  }
  for (const name of names) {
    const at = unit.tokens.findIndex(
      (token, i) => token.text === name && (is(unit.tokens[i + 1], '=') || is(unit.tokens[i + 1], '=>')),
    )
    if (at >= 0) return rowsIn(unit, [at + 2, unit.tokens.length])
  }
  return []
}
