import { emptyPart, withoutEmpty } from '../format.ts'
import { BENCH, GoPackage } from '../formats/go.ts'
import type { Part, TestCase } from '../types.ts'
import { byState, stateOf } from '../words.ts'
import { countIn, type Fields, fields as fieldsIn, saysNoNetwork, testCase, text } from './fields.ts'

interface Event {
  readonly at: number
  readonly fields: Fields
}

/** Reads a stream of JSON objects, one per line, with other lines between them. */
interface EventReader {
  /** A text without this is not for this reader. */
  readonly hint: RegExp
  readonly read: (events: readonly Event[]) => readonly Part[]
}

/** A run in which every event counts. `ended` is what its last event says, undefined if there is none. */
function wholeRun(framework: string, events: readonly Event[], tests: readonly TestCase[], ended?: boolean): Part[] {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return []
  const broken = ended === false ? `The runner reports that the run failed (${framework}).` : undefined
  const unproven = ended === undefined ? `The end of the run is missing (${framework}).` : undefined
  return [{ framework, from: first.at, to: last.at, ...byState(tests), tests, broken, unproven }]
}

/** `dart test --reporter json` and `flutter test --machine`. Loading a file is a hidden test that can fail too. */
const dart: EventReader = {
  hint: /"type": ?"testDone"|"protocolVersion"/,
  read: (events) => {
    const files = new Map<unknown, unknown>()
    const begun = new Map<unknown, { name: string; file: unknown }>()
    const tests: TestCase[] = []
    let ended: boolean | undefined
    for (const { fields } of events) {
      const { type, suite, test, testID, result, skipped, hidden, success } = fields
      if (type === 'suite') files.set(fieldsIn(suite).id, fieldsIn(suite).path)
      else if (type === 'testStart') {
        const { id, name, suiteID } = fieldsIn(test)
        begun.set(id, { name: text(name) ?? 'test', file: files.get(suiteID) || undefined })
      } else if (type === 'testDone') {
        const { name, file } = begun.get(testID) ?? { name: 'test', file: undefined }
        const state = result !== 'success' ? 'failed' : skipped === true ? 'skipped' : 'passed'
        if (hidden !== true || state === 'failed') tests.push(testCase(name, state, { file }))
      } else if (type === 'done') ended = success === true
    }
    const suitesFailed = tests.filter(({ name, state }) => state === 'failed' && name.startsWith('loading ')).length
    return wholeRun('dart', events, tests, ended).map((part) => ({ ...part, suitesFailed }))
  },
}

/** Events of node:test as custom reporters pass them on: `{"type":"test:pass","data":{...}}`. Suites are not tests. */
const nodeTest: EventReader = {
  hint: /"type": ?"test:(?:pass|fail|summary|start|plan)"/,
  read: (events) => {
    const tests: TestCase[] = []
    const groups: string[] = []
    const isSet = (value: unknown) => value !== undefined && value !== false
    let ended: boolean | undefined
    let totals: true | undefined
    for (const { fields } of events) {
      const { nesting: depth, name: given, file, success, message, details, skip, todo } = fieldsIn(fields.data)
      const nesting = countIn(depth)
      const name = text(given) ?? 'test'
      const passed = fields.type === 'test:pass'
      if (fields.type === 'test:start') groups.splice(nesting, groups.length, name)
      else if (fields.type === 'test:summary' && file === undefined) ended = success === true
      else if (fields.type === 'test:diagnostic' && nesting === 0 && /^tests \d+$/.test(text(message) ?? ''))
        totals = true
      if ((!passed && fields.type !== 'test:fail') || (passed && fieldsIn(details).type === 'suite')) continue
      const state = isSet(skip) || isSet(todo) ? 'skipped' : passed ? 'passed' : 'failed'
      tests.push(testCase([...groups.slice(0, nesting), name].join(' > '), state, { file }))
    }
    return wholeRun('node:test', events, tests, ended ?? totals)
  },
}

/** libtest's `--format json`, and nextest's message format, which follows it. One suite per test binary. */
const libtest: EventReader = {
  hint: /"type": ?"suite".*"event": ?"|"event": ?"(?:started|ok|failed)".*"type": ?"(?:test|suite)"/,
  read: (events) => {
    const parts: Part[] = []
    let tests: TestCase[] = []
    let open: number | undefined
    for (const { at, fields } of events) {
      const event = text(fields.event) ?? ''
      const state = stateOf(event)
      if (fields.type === 'test' && state !== undefined) tests.push({ name: text(fields.name) ?? 'test', state })
      if (fields.type !== 'suite') continue
      if (event === 'started') open = at
      if (event !== 'ok' && event !== 'failed') continue
      const failed = countIn(fields.failed)
      parts.push({
        ...{ framework: 'cargo test', from: open ?? at, to: at, failed, skipped: countIn(fields.ignored), tests },
        passed: countIn(fields.passed) + countIn(fields.measured),
        ...(event === 'failed' && failed === 0 && { broken: 'The run failed without a failed test (cargo test).' }),
      })
      tests = []
      open = undefined
    }
    const unproven = 'A test binary gave no result (cargo test).'
    return withoutEmpty(open === undefined ? parts : [...parts, { ...emptyPart('cargo test', open, open), unproven }])
  },
}

/** `go test -json`. The same package twice is two runs (-count, or two commands): the later result must not hide the first. */
const goTest: EventReader = {
  hint: /"Action": ?"(?:pass|fail|run|output|skip|start|build-fail|build-output)"/,
  read: (events) => {
    const packages = new Map<string, { found: GoPackage; to: number; result?: string; noNetwork: Set<string> }>()
    for (const { at, fields } of events) {
      const [action, name, test] = [text(fields.Action), text(fields.Package), text(fields.Test)]
      if (action === undefined || name === undefined) continue
      const known = packages.get(name) ?? {
        found: Object.assign(new GoPackage(), { from: at }),
        to: at,
        noNetwork: new Set(),
      }
      packages.set(name, known)
      known.to = at
      const printed = action === 'output' ? (text(fields.Output) ?? '') : ''
      if (saysNoNetwork(printed)) known.noNetwork.add(`${name} > ${test}`)
      const bench = BENCH.exec(printed)?.groups?.name
      const state = stateOf(action, { bench: 'passed' })
      if (bench !== undefined) known.found.set(bench, 'passed')
      else if (test !== undefined) {
        if (action === 'run' || state !== undefined) known.found.set(test, state)
      } else if (state === 'failed') known.result = action
      else if (state !== undefined) known.result ??= action
    }
    const parts = [...packages].map(([name, { found, to, result, noNetwork }]) => {
      found.empty = true
      const part = found.close(to, result === 'fail', name, 'failed without a failed test')
      const tests = part.tests?.map((test) =>
        test.state === 'failed' && noNetwork.has(test.name) ? { ...test, network: true as const } : test,
      )
      const unproven = result === undefined && { unproven: `The result of ${name} is missing (go test).` }
      return { ...part, ...(tests !== undefined && { tests }), ...unproven }
    })
    return sideBySide(withoutEmpty(parts))
  },
}

/** Packages run in parallel and their events mix. One inside another is not its output, so they get the same end. */
function sideBySide(parts: readonly Part[]): readonly Part[] {
  const groups: { to: number; parts: Part[] }[] = []
  for (const part of parts.toSorted((a, b) => a.from - b.from)) {
    const last = groups.at(-1)
    if (last === undefined || last.to < part.from) groups.push({ to: part.to, parts: [part] })
    else {
      last.parts.push(part)
      last.to = Math.max(last.to, part.to)
    }
  }
  return groups.flatMap(({ to, parts: same }) => same.map((part) => ({ ...part, to })))
}

/** An event; undefined for a line that two writers mixed, or that was cut. The reader notices that something is missing. */
function parsed(line: string): Fields | undefined {
  try {
    return fieldsIn(JSON.parse(line))
  } catch {
    return undefined
  }
}

const readers: readonly EventReader[] = [goTest, dart, nodeTest, libtest]

/** The runs that the events describe, and the other lines, which may come from another runner. */
export function readEvents(
  whole: string,
  lines: readonly string[],
): { parts: readonly Part[]; rest: readonly string[] } {
  const reader = readers.find(({ hint }) => hint.test(whole))
  if (reader === undefined) return { parts: [], rest: lines }
  const found = lines.map((line) => (line.startsWith('{') && line.trimEnd().endsWith('}') ? parsed(line) : undefined))
  const events = found.flatMap((fields, at) => (fields === undefined ? [] : [{ at, fields }]))
  return { parts: reader.read(events), rest: lines.map((line, at) => (found[at] === undefined ? line : '')) }
}
