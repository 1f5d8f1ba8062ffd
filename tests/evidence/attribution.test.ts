import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attribute } from '../../src/evidence/attribution/attribute.ts'
import { taskNames } from '../../src/evidence/attribution/task-names.ts'
import type { AttributionContext } from '../../src/evidence/attribution/types.ts'
import type { TestCase, TestRun, TestState } from '../../src/test-output/types.ts'

/** `f` failed, `p` passed, `s` skipped. */
const STATES: Readonly<Record<string, TestState>> = { f: 'failed', p: 'passed', s: 'skipped' }

/** `a.test.js > adds` stands in a.test.js; a name without a file is a test whose file nobody knows. */
const fileIn = (name: string) => /^(\S+\.\w+) > /.exec(name)?.[1]

function run(tests: readonly (readonly [string, string])[], more: Partial<TestRun> = {}): TestRun {
  const cases = tests.map(([name, state]): TestCase => ({ name, state: STATES[state]! }))
  const count = (state: TestState) => cases.filter((test) => test.state === state).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  return { passed, failed, skipped, total: cases.length, ok: failed === 0, framework: 'x', tests: cases, ...more }
}

interface Case {
  readonly was?: Readonly<Record<string, string>> | null
  readonly is?: Readonly<Record<string, string>>
  readonly changed?: readonly string[]
  /** What each test file reaches; `?` when it cannot be told. */
  readonly imports?: Readonly<Record<string, readonly string[] | '?'>>
  readonly task?: string
  readonly accept?: readonly string[]
  readonly mode?: 'strict'
  readonly flaky?: readonly string[]
  readonly before?: Readonly<Record<string, string>>
  readonly after?: Readonly<Record<string, string>>
  readonly moreWas?: Partial<TestRun>
  readonly moreIs?: Partial<TestRun>
}

function contextOf(row: Case): AttributionContext {
  return {
    changedFiles: row.changed ?? ['src/new.js', 'new.test.js'],
    testFileOf: (name) => fileIn(name),
    importsOf: (file) => {
      const reached = row.imports?.[file]
      return reached === '?' ? undefined : (reached ?? [])
    },
    taskTexts: [row.task ?? 'Write a multiplication with tests of its own.'],
    accept: row.accept ?? [],
    mode: row.mode ?? 'default',
    flaky: row.flaky ?? [],
    bodyThen: ({ name }) => row.before?.[name],
    bodyNow: ({ name }) => row.after?.[name],
  }
}

const OLD = 'old.test.js > parses dates'
const NEW = 'new.test.js > multiplies'
/** An old red test about something else, and a run that added a green one. */
const was = { [OLD]: 'f', 'old.test.js > parses numbers': 'p' }
const is = { ...was, [NEW]: 'p' }

function judge(row: Case) {
  const before = row.was === null ? undefined : run(Object.entries(row.was ?? was), row.moreWas)
  return attribute(before, run(Object.entries(row.is ?? is), row.moreIs), contextOf(row))
}

/** Standings by name, with a `!` where the test blocks. */
const standings = (row: Case) =>
  Object.fromEntries(judge(row).tests.map(({ name, standing, blocks }) => [name, standing + (blocks ? '!' : '')]))

type Row = [name: string, row: Case, expected: Readonly<Record<string, string>>]

const excused: readonly Row[] = [
  ['an old red test about something else, a test added', {}, { [OLD]: 'known-unrelated' }],
  [
    'an old red test, another one fixed in another file',
    { was: { [OLD]: 'f', 'b.test.js > sorts': 'f' }, is: { [OLD]: 'f', 'b.test.js > sorts': 'p' } },
    { [OLD]: 'known-unrelated', 'b.test.js > sorts': 'fixed' },
  ],
  [
    'it reaches files, none of them changed',
    { imports: { 'old.test.js': ['src/dates.js', 'src/zones.js'] } },
    { [OLD]: 'known-unrelated' },
  ],
  [
    'nothing was changed but a file of no import',
    { changed: ['README.md', 'package.json'] },
    { [OLD]: 'known-unrelated' },
  ],
  [
    'two old red tests in the same file',
    { was: { ...was, 'old.test.js > parses times': 'f' }, is: { ...is, 'old.test.js > parses times': 'f' } },
    { [OLD]: 'known-unrelated', 'old.test.js > parses times': 'known-unrelated' },
  ],
  ['a snapshot of another test changed', { changed: ['__snapshots__/new.test.js.snap'] }, { [OLD]: 'known-unrelated' }],
  [
    'the prompt says to leave failing tests alone',
    { task: 'Write a multiplication. Do not touch other failing tests.' },
    { [OLD]: 'known-unrelated' },
  ],
  [
    'the prompt has a word that only begins like the stem',
    { task: 'Write it for older browsers.' },
    { [OLD]: 'known-unrelated' },
  ],
  [
    'the prompt speaks of writing tests',
    { task: 'Add tests for the multiplication and run the tests.' },
    { [OLD]: 'known-unrelated' },
  ],
  ['there is no task text at all', { task: '' }, { [OLD]: 'known-unrelated' }],
  [
    'a test was added next to a skipped one',
    { is: { ...is, 'new.test.js > later': 's' } },
    { [OLD]: 'known-unrelated' },
  ],
  [
    'accepted by its whole name although its file was changed',
    { changed: ['old.test.js'], accept: [OLD] },
    { [OLD]: 'known-related' },
  ],
  ['accepted although it is new', { was: { [OLD]: 'p' }, is: { [OLD]: 'f' }, accept: [OLD] }, { [OLD]: 'new' }],
  ['accepted although there is no baseline', { was: null, is: { [OLD]: 'f' }, accept: [OLD] }, { [OLD]: 'new' }],
  [
    'accepted without its parameters',
    { was: { 'test_x[1]': 'f' }, is: { 'test_x[1]': 'f' }, accept: ['test_x'] },
    { 'test_x[1]': 'known-related' },
  ],
  [
    'accepted by its title alone, which names it as the report does',
    { was: { x: 'f' }, is: { x: 'f' }, accept: [' x '] },
    { x: 'known-related' },
  ],
]

const blocking: readonly Row[] = [
  [
    'the task is the red test',
    { was: { [OLD]: 'f' }, is: { [OLD]: 'f' }, task: 'Fix date parsing.' },
    { [OLD]: 'known-related!' },
  ],
  ['nothing was fixed or added', { is: was }, { [OLD]: 'known-related!' }],
  ['only a skipped test was added', { is: { ...was, [NEW]: 's' } }, { [OLD]: 'known-related!' }],
  ['only a red test was added', { is: { ...was, [NEW]: 'f' } }, { [OLD]: 'known-related!', [NEW]: 'new!' }],
  ['its file was changed', { changed: ['old.test.js'] }, { [OLD]: 'known-related!' }],
  [
    'a source file it reaches was changed',
    { changed: ['src/dates.js'], imports: { 'old.test.js': ['src/dates.js'] } },
    { [OLD]: 'known-related!' },
  ],
  [
    'a source file it reaches was deleted',
    { changed: ['src/gone.js'], imports: { 'old.test.js': ['src/dates.js', 'src/gone.js'] } },
    { [OLD]: 'known-related!' },
  ],
  ['what it reaches cannot be told', { imports: { 'old.test.js': '?' } }, { [OLD]: 'known-related!' }],
  ['its snapshot was changed', { changed: ['__snapshots__/old.test.js.snap'] }, { [OLD]: 'known-related!' }],
  ['its picture was changed', { changed: ['old.test.js-snapshots/a.png'] }, { [OLD]: 'known-related!' }],
  [
    'another test of its file was fixed',
    { was: { ...was, 'old.test.js > rounds': 'f' }, is: { ...is, 'old.test.js > rounds': 'p' } },
    { [OLD]: 'known-related!', 'old.test.js > rounds': 'fixed' },
  ],
  ['a test was added to its file', { is: { ...was, 'old.test.js > rounds': 'p' } }, { [OLD]: 'known-related!' }],
  ['a test was added, nobody knows where', { is: { ...was, multiplies: 'p' } }, { [OLD]: 'known-related!' }],
  [
    'a test was fixed, nobody knows where',
    { was: { ...was, sorts: 'f' }, is: { ...was, sorts: 'p' } },
    { [OLD]: 'known-related!', sorts: 'fixed' },
  ],
  ['nobody knows its file', { was: { x: 'f' }, is: { x: 'f', [NEW]: 'p' } }, { x: 'known-related!' }],
  ['the prompt names it', { task: 'When it parses dates it is wrong.' }, { [OLD]: 'known-related!' }],
  ['the prompt names it in other case', { task: 'The test "Parses Dates" fails.' }, { [OLD]: 'known-related!' }],
  ['the prompt names its file', { task: 'See old.test.js.' }, { [OLD]: 'known-related!' }],
  ['the prompt names its stem', { task: 'Rewrite the old parser.' }, { [OLD]: 'known-related!' }],
  ['the plan has it as an item', { task: '# Plan\n- [x] multiply\n- [ ] parses dates\n' }, { [OLD]: 'known-related!' }],
  ['the prompt is about the failing tests', { task: 'Fix the failing tests.' }, { [OLD]: 'known-related!' }],
  ['the prompt wants all tests to pass', { task: 'Write it. All tests must pass.' }, { [OLD]: 'known-related!' }],
  ['the prompt wants the suite green', { task: 'Get the test suite green.' }, { [OLD]: 'known-related!' }],
  [
    'the prompt wants the red tests turned green',
    { task: 'There are some red tests; implement what they want.' },
    { [OLD]: 'known-related!' },
  ],
  ['strict', { mode: 'strict' }, { [OLD]: 'known-related!' }],
  ['strict, and accepted', { mode: 'strict', accept: [OLD] }, { [OLD]: 'known-related!' }],
  [
    'something else is accepted',
    { changed: ['old.test.js'], accept: ['old.test.js', 'parses', NEW] },
    { [OLD]: 'known-related!' },
  ],
  ['it passed before', { was: { [OLD]: 'p' }, is: { [OLD]: 'f', [NEW]: 'p' } }, { [OLD]: 'new!' }],
  ['it was skipped before', { was: { [OLD]: 's' }, is: { [OLD]: 'f', [NEW]: 'p' } }, { [OLD]: 'new!' }],
  ['it was not there before', { was: {}, is: { [OLD]: 'f', [NEW]: 'p' } }, { [OLD]: 'new!' }],
  ['there is no baseline', { was: null, is: { [OLD]: 'f', [NEW]: 'p' } }, { [OLD]: 'new!' }],
  ['the baseline names no tests', { moreWas: { tests: undefined } as unknown as Partial<TestRun> }, { [OLD]: 'new!' }],
  ['the baseline names only some', { moreWas: { passed: 9 } }, { [OLD]: 'known-related!' }],
  ['the report names only some', { moreIs: { passed: 9 } }, { [OLD]: 'known-related!' }],
  ['it changes its mind', { flaky: [OLD] }, { [OLD]: 'flaky!' }],
  ['it changes its mind and passed at last', { flaky: [NEW] }, { [OLD]: 'known-unrelated', [NEW]: 'flaky!' }],
  [
    'a known failure beside a new one',
    { is: { ...is, 'c.test.js > adds': 'f' } },
    { [OLD]: 'known-unrelated', 'c.test.js > adds': 'new!' },
  ],
]

const body = 'const d = parse("2024-02-30") expect(d.valid).toBe(false) expect(d.day).toBe(30)'
const other = 'render(page) click(button) expect(page.title).toBe("Home")'

const missing: readonly Row[] = [
  ['a red test deleted', { is: { 'old.test.js > parses numbers': 'p', [NEW]: 'p' } }, { [OLD]: 'missing!' }],
  [
    'a green test deleted',
    { is: { [OLD]: 'f', [NEW]: 'p' } },
    { 'old.test.js > parses numbers': 'missing!', [OLD]: 'known-unrelated' },
  ],
  ['a red test skipped', { is: { ...is, [OLD]: 's' } }, { [OLD]: 'missing!' }],
  [
    'a green test skipped',
    { is: { ...is, 'old.test.js > parses numbers': 's' } },
    { 'old.test.js > parses numbers': 'missing!', [OLD]: 'known-unrelated' },
  ],
  ['a skipped test deleted', { was: { a: 'p', b: 's' }, is: { a: 'p' } }, { b: 'missing' }],
  ['a skipped test that runs now', { was: { a: 's' }, is: { a: 'p' } }, {}],
  [
    'a green test renamed, the body as it was',
    { was: { a: 'p' }, is: { b: 'p' }, before: { a: body }, after: { b: body } },
    {},
  ],
  [
    'a green test renamed and reworked a little',
    {
      was: { 'parses a date': 'p' },
      is: { 'parses any date': 'p' },
      before: { 'parses a date': body },
      after: { 'parses any date': `${body} log("done", twice, more)` },
    },
    {},
  ],
  [
    'a green test replaced by another',
    { was: { a: 'p' }, is: { b: 'p' }, before: { a: body }, after: { b: other } },
    { a: 'missing!' },
  ],
  [
    'a green test moved to another file',
    { was: { 'a.js > x': 'p' }, is: { 'b.js > x': 'p' }, before: { 'a.js > x': body }, after: { 'b.js > x': body } },
    {},
  ],
  ['a green test moved, its body nowhere to be found', { was: { 'a.js > x': 'p' }, is: { 'b.js > x': 'p' } }, {}],
  [
    'a green test moved and emptied',
    { was: { 'a.js > x': 'p' }, is: { 'b.js > x': 'p' }, before: { 'a.js > x': body }, after: { 'b.js > x': 'pass' } },
    { 'a.js > x': 'missing!' },
  ],
  [
    'a red test renamed, the body as it was, and green',
    { was: { a: 'f' }, is: { b: 'p' }, before: { a: body }, after: { b: body } },
    { b: 'fixed' },
  ],
  [
    'a red test renamed and still red',
    { was: { a: 'f' }, is: { b: 'f', [NEW]: 'p' }, before: { a: body }, after: { b: body } },
    { b: 'known-related!' },
  ],
  [
    'a red test renamed, and what it expects changed',
    { was: { a: 'f' }, is: { b: 'p' }, before: { a: body }, after: { b: body.replace('toBe(30)', 'toBe(1)') } },
    { a: 'missing!' },
  ],
  [
    'a red test renamed, its body nowhere to be found',
    { was: { 'parses a date': 'f' }, is: { 'parses dates': 'p' } },
    { 'parses a date': 'missing!' },
  ],
  [
    'a red test moved, and what it expects changed',
    { was: { 'a.js > x': 'f' }, is: { 'b.js > x': 'p' }, before: { 'a.js > x': body }, after: { 'b.js > x': other } },
    { 'a.js > x': 'missing!' },
  ],
  [
    'parameters with other labels',
    { was: { 'test_a[1]': 'p', 'test_a[2]': 'p' }, is: { 'test_a[one]': 'p', 'test_a[two]': 'p' } },
    {},
  ],
  [
    'fewer parameters',
    { was: { 'test_a[1]': 'p', 'test_a[2]': 'p' }, is: { 'test_a[one]': 'p' } },
    { 'test_a[1]': 'missing!', 'test_a[2]': 'missing!' },
  ],
  [
    'a red row exchanged for a green one',
    {
      was: { 'test_a[1]': 'p', 'test_a[2]': 'f' },
      is: { 'test_a[1]': 'p', 'test_a[3]': 'p' },
      before: { 'test_a[2]': body },
      after: { 'test_a[3]': body },
    },
    { 'test_a[2]': 'missing!' },
  ],
  [
    'a green test split in two',
    { was: { a: 'p' }, is: { b: 'p', c: 'p' }, before: { a: `${body} ${other}` }, after: { b: body, c: other } },
    {},
  ],
  [
    'two of one name, one of them gone',
    { was: { a: 'p' }, is: {}, moreIs: { total: 1, tests: [{ name: 'b', state: 'passed' }] } },
    { a: 'missing!' },
  ],
]

describe('known failures that are excused', () => {
  it.each(excused)('%s', (_name, row, expected) => {
    expect(standings(row)).toEqual(expected)
    const { blocking: shut, excused: named } = judge(row)
    expect(shut).toEqual([])
    expect(named.length).toBeGreaterThan(0)
  })
})

describe('failures that block', () => {
  it.each(blocking)('%s', (_name, row, expected) => {
    expect(standings(row)).toEqual(expected)
    expect(judge(row).blocking.length).toBeGreaterThan(0)
  })
})

describe('tests that are gone', () => {
  it.each(missing)('%s', (_name, row, expected) => {
    expect(standings(row)).toEqual(expected)
    const gone = Object.values(expected).filter((standing) => standing === 'missing!').length
    expect(judge(row).missing).toHaveLength(gone)
  })
})

describe('reports that do not name everything', () => {
  it('failures without a name are counted', () => {
    expect(judge({ moreIs: { failed: 3, total: 5 } }).unnamed).toBe(2)
  })
  it('a falling count is told', () => {
    const bare = { tests: undefined } as unknown as Partial<TestRun>
    const found = judge({ moreWas: { ...bare, total: 9 }, moreIs: { ...bare, total: 7 } })
    expect([found.fewer, found.missing]).toEqual([2, []])
    expect(judge({ moreWas: { ...bare, total: 7 }, moreIs: { ...bare, total: 9 } }).fewer).toBe(0)
  })
})

describe('tests of one name', () => {
  const twice = (before: string, after: string) =>
    attribute(
      run([...before].map((s) => ['a.js > x', s] as const)),
      run([...[...after].map((s) => ['a.js > x', s] as const), ['n.js > new', 'p'] as const]),
      contextOf({}),
    )
  const rows: [before: string, after: string, expected: string[]][] = [
    ['ff', 'ff', ['known-unrelated', 'known-unrelated']],
    // Whether one was mended and the other broken, or none of both, cannot be told.
    ['fp', 'pf', ['known-related!']],
    ['pp', 'pf', ['new!']],
    ['f', 'ff', ['known-related!', 'new!']],
    ['ff', 'f', ['missing!', 'known-related!']],
    ['pp', 'p', ['missing!']],
  ]
  it.each(rows)('%s then, %s now', (before, after, expected) => {
    const found = twice(before, after).tests.map(({ standing, blocks }) => standing + (blocks ? '!' : ''))
    expect(found.sort()).toEqual([...expected].sort())
  })

  it('are told apart by their files', () => {
    const test = (file: string, state: TestState): TestCase => ({ name: 'x', file, state })
    const of = (tests: TestCase[]) =>
      run([], { tests, total: tests.length, failed: tests.filter(({ state }) => state === 'failed').length })
    const context = { ...contextOf({ changed: ['b.js'] }), testFileOf: (_name: string, { file }: TestCase) => file }
    const found = attribute(
      of([test('a.js', 'failed'), test('b.js', 'failed')]),
      of([test('b.js', 'passed'), test('a.js', 'failed')]),
      context,
    )
    expect(found.tests.map(({ file, standing }) => [file, standing])).toEqual([
      ['b.js', 'fixed'],
      ['a.js', 'known-unrelated'],
    ])
  })
})

describe('what the task names', () => {
  const named: [text: string, name: string, file?: string][] = [
    ['run test_math.py', 'test_add', 'tests/test_math.py'],
    ['fix the user service', 'creates', 'src/user-service.test.ts'],
    ['UserService is broken', 'creates', 'src/user_service_spec.rb'],
    ['fix users', 'creates', 'src/user.test.ts'],
    ['fix `test_add`', 'tests/test_math.py::TestMath::test_add', 'tests/test_math.py'],
    ['TestAdd fails', 'TestAdd', 'x/add_test.go'],
    ['fix TestAdd/negative numbers', 'TestAdd/negative_numbers', 'x/y_test.go'],
    ['the Calculator must divide', 'Calculator > divides by two', 'calc.test.ts'],
    ['work in tests/parser/', 'reads', 'tests/parser/read.test.ts'],
    ['work in tests/parser/**', 'reads', 'tests/parser/deep/read.test.ts'],
    ['see src/main/java/MathTest.java', 'com.example.MathTest > adds', 'src/main/java/MathTest.java'],
    ['MathTest must pass', 'adds', 'src/MathTest.java'],
    ['Make all the unit tests pass.', 'x y', 'z.test.js'],
    ['Tests are failing on CI', 'x y', 'z.test.js'],
    ['Please fix the tests', 'x y', 'z.test.js'],
    ['implement what is needed to make the tests pass', 'x y', 'z.test.js'],
  ]
  it.each(named)('%j names %s', (text, name, file) => {
    expect(taskNames(['something else', text], name, file)).toEqual(expect.any(String))
  })

  const silent: [text: string, name: string, file?: string][] = [
    ['mathematics', 'adds', 'math.test.ts'],
    ['make sure it works', 'works', 'thing.test.ts'],
    ['add a function', 'test_add', 'tests/test_sum.py'],
    ['tests live in tests/', 'reads', 'tests/read_it.test.ts'],
    ['write a test for the parser', 'reads', 'reader.test.ts'],
    ['do not fix the failing tests', 'x y', 'z.test.js'],
    ['ignore unrelated failing tests', 'x y', 'z.test.js'],
    ['', 'x', 'z.test.js'],
    ['test', 'test', 'test.js'],
  ]
  it.each(silent)('%j does not name %s', (text, name, file) => {
    expect(taskNames([text], name, file)).toBeUndefined()
  })
})

describe('always', () => {
  const states = fc.dictionary(
    fc.constantFrom('a.js > x', 'a.js > y', 'b.js > x', 'b.js > z', 'w'),
    fc.constantFrom('f', 'p', 's'),
  )
  it('every failing test is named, once, and whatever passed before and fails now blocks', () => {
    fc.assert(
      fc.property(states, states, fc.subarray(['a.js', 'b.js', 'src/c.js']), (before, after, changed) => {
        const found = judge({ was: before, is: after, changed })
        const failing = Object.entries(after)
          .filter(([, state]) => state === 'f')
          .map(([name]) => name)
        const told = found.tests
          .filter(({ standing }) => !['missing', 'fixed'].includes(standing))
          .map(({ name }) => name)
        expect(told.sort()).toEqual(failing.sort())
        for (const { name } of found.excused) expect(before[name]).toBe('f')
        for (const name of failing)
          if (before[name] !== 'f') expect(found.blocking.map((test) => test.name)).toContain(name)
        expect(judge({ was: before, is: after, changed, mode: 'strict' }).excused).toEqual([])
      }),
    )
  })
  it('nothing is excused when nothing was fixed or added', () => {
    fc.assert(
      fc.property(states, (before) => {
        expect(judge({ was: before, is: before }).excused).toEqual([])
      }),
    )
  })
})
