import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TestCase, TestRun, TestState } from '../../packages/test-output/src/types.ts'
import { type CompareContext, compareContext, compareTests } from '../../src/evidence/test-results/compare.ts'
import { project } from './git-project.ts'
import { contextOf as checkContext, remember } from './red-proof/proving.ts'

/** `f` failed, `p` passed, `s` skipped. */
const STATES: Readonly<Record<string, TestState>> = { f: 'failed', p: 'passed', s: 'skipped' }

/** `a.test.js > adds` is in a.test.js; a name without a file is a test whose file is unknown. */
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
  readonly accept?: readonly string[]
  readonly acceptFailing?: true
  readonly flaky?: readonly string[]
  readonly before?: Readonly<Record<string, string>>
  readonly after?: Readonly<Record<string, string>>
  readonly moreWas?: Partial<TestRun>
  readonly moreIs?: Partial<TestRun>
}

function contextOf(row: Case): CompareContext {
  return {
    fileOf: ({ name, file }) => file ?? fileIn(name),
    accept: row.accept ?? [],
    acceptFailing: row.acceptFailing ?? false,
    flaky: row.flaky ?? [],
    bodyThen: ({ name }) => row.before?.[name],
    bodyNow: ({ name }) => row.after?.[name],
  }
}

const OLD = 'old.test.js > parses dates'
const NEW = 'new.test.js > multiplies'
/** A test that failed before the run and still does, and a run that added one that passes. */
const was = { [OLD]: 'f', 'old.test.js > parses numbers': 'p' }
const is = { ...was, [NEW]: 'p' }

function judge(row: Case) {
  const before = row.was === null ? undefined : run(Object.entries(row.was ?? was), row.moreWas)
  return compareTests(before, run(Object.entries(row.is ?? is), row.moreIs), contextOf(row))
}

/** Changes by test name, with a `!` if the test blocks. */
const standings = (row: Case) =>
  Object.fromEntries(
    judge(row).tests.map(({ name, change: standing, blocks }) => [name, standing + (blocks ? '!' : '')]),
  )

type Row = [name: string, row: Case, expected: Readonly<Record<string, string>>]

const ALSO = 'b.test.js > sorts'

const accepted: readonly Row[] = [
  ['all that failed before, a test added', { acceptFailing: true }, { [OLD]: 'known' }],
  ['all that failed before, nothing done', { acceptFailing: true, is: was }, { [OLD]: 'known' }],
  [
    'all that failed before, one of them fixed',
    { acceptFailing: true, was: { [OLD]: 'f', [ALSO]: 'f' }, is: { [OLD]: 'f', [ALSO]: 'p' } },
    { [OLD]: 'known', [ALSO]: 'fixed' },
  ],
  [
    'all that failed before, in a baseline that names only the failing ones',
    { acceptFailing: true, moreWas: { passed: 9 }, moreIs: { passed: 10 } },
    { [OLD]: 'known' },
  ],
  ['by its whole name', { accept: [OLD] }, { [OLD]: 'known' }],
  ['by name although it is new', { was: { [OLD]: 'p' }, is: { [OLD]: 'f' }, accept: [OLD] }, { [OLD]: 'new' }],
  ['by name although there is no baseline', { was: null, is: { [OLD]: 'f' }, accept: [OLD] }, { [OLD]: 'new' }],
  [
    'by name without its parameters',
    { was: { 'test_x[1]': 'f' }, is: { 'test_x[1]': 'f' }, accept: ['test_x'] },
    { 'test_x[1]': 'known' },
  ],
  [
    'by its title alone, which names it as the report does',
    { was: { x: 'f' }, is: { x: 'f' }, accept: [' x '] },
    { x: 'known' },
  ],
]

const blocking: readonly Row[] = [
  ['it failed before, and a test was added', {}, { [OLD]: 'known!' }],
  ['it failed before, and nothing was done', { is: was }, { [OLD]: 'known!' }],
  [
    'it failed before, and another one was fixed',
    { was: { [OLD]: 'f', [ALSO]: 'f' }, is: { [OLD]: 'f', [ALSO]: 'p' } },
    { [OLD]: 'known!', [ALSO]: 'fixed' },
  ],
  ['it failed before, a new one fails too', { is: { ...was, [NEW]: 'f' } }, { [OLD]: 'known!', [NEW]: 'new!' }],
  ['something else is accepted', { accept: ['old.test.js', 'parses', NEW] }, { [OLD]: 'known!' }],
  [
    'it passed before, what failed then is accepted',
    { was: { [OLD]: 'p', [ALSO]: 'f' }, is: { [OLD]: 'f', [ALSO]: 'f' }, acceptFailing: true },
    { [OLD]: 'new!', [ALSO]: 'known' },
  ],
  [
    'it was skipped before, what failed then is accepted',
    { was: { [OLD]: 's' }, is: { [OLD]: 'f', [NEW]: 'p' }, acceptFailing: true },
    { [OLD]: 'new!' },
  ],
  ['it passed before', { was: { [OLD]: 'p' }, is: { [OLD]: 'f', [NEW]: 'p' } }, { [OLD]: 'new!' }],
  ['it was skipped before', { was: { [OLD]: 's' }, is: { [OLD]: 'f', [NEW]: 'p' } }, { [OLD]: 'new!' }],
  ['it was not there before', { was: {}, is: { [OLD]: 'f', [NEW]: 'p' } }, { [OLD]: 'new!' }],
  ['there is no baseline', { was: null, is: { [OLD]: 'f', [NEW]: 'p' }, acceptFailing: true }, { [OLD]: 'new!' }],
  [
    'the baseline names no tests',
    { moreWas: { tests: undefined } as unknown as Partial<TestRun>, acceptFailing: true },
    { [OLD]: 'new!' },
  ],
  ['the baseline names only some', { moreWas: { passed: 9 }, moreIs: { passed: 10 } }, { [OLD]: 'known!' }],
  ['the report names only some', { moreIs: { passed: 9 } }, { [OLD]: 'known!' }],
  ['it gives different results', { flaky: [OLD], accept: [OLD] }, { [OLD]: 'flaky!' }],
  ['it gives different results and passed at last', { flaky: [NEW] }, { [OLD]: 'known!', [NEW]: 'flaky!' }],
  [
    'it is skipped now, what failed then is accepted',
    { is: { ...is, [OLD]: 's' }, acceptFailing: true },
    { [OLD]: 'missing!' },
  ],
  [
    'it is gone, what failed then is accepted',
    { is: { 'old.test.js > parses numbers': 'p' }, acceptFailing: true },
    { [OLD]: 'missing!' },
  ],
  [
    'it was renamed, what failed then is accepted',
    {
      was: { a: 'f' },
      is: { b: 'f', [NEW]: 'p' },
      before: { a: 'parse("2024-02-30")' },
      after: { b: 'parse("2024-02-30")' },
      acceptFailing: true,
    },
    { b: 'known!' },
  ],
]

const body = 'const d = parse("2024-02-30") expect(d.valid).toBe(false) expect(d.day).toBe(30)'
const badUrl = (value: string) =>
  ` Test with an invalid URL  schema = Schema({"url": FqdnUrl()}) try: schema({"url": ${value}}) except MultipleInvalid as e: assert str(e) == "expected a URL for dictionary value @ data['url']" else: assert False, "Did not raise Invalid"`
const BAD_URLS = `schema = Schema({"url": FqdnUrl()}) with pytest.raises(MultipleInvalid, match=r"expected a URL for dictionary value @ data\\['url'\\]") as ctx: schema({"url": value}) assert len(ctx.value.errors) == 1 assert isinstance(ctx.value.errors[0], UrlInvalid) pytest.param(None, id="None") pytest.param("", id="empty") pytest.param("http://", id="host")`
const other = 'render(page) click(button) expect(page.title).toBe("Home")'

const missing: readonly Row[] = [
  ['a failing test deleted', { is: { 'old.test.js > parses numbers': 'p', [NEW]: 'p' } }, { [OLD]: 'missing!' }],
  [
    'a passing test deleted',
    { is: { [OLD]: 'f', [NEW]: 'p' } },
    { 'old.test.js > parses numbers': 'missing!', [OLD]: 'known!' },
  ],
  ['a failing test skipped', { is: { ...is, [OLD]: 's' } }, { [OLD]: 'missing!' }],
  [
    'a passing test skipped',
    { is: { ...is, 'old.test.js > parses numbers': 's' } },
    { 'old.test.js > parses numbers': 'missing!', [OLD]: 'known!' },
  ],
  ['a skipped test deleted', { was: { a: 'p', b: 's' }, is: { a: 'p' } }, { b: 'missing' }],
  ['a skipped test that runs now', { was: { a: 's' }, is: { a: 'p' } }, {}],
  [
    'a passing test renamed, the body as it was',
    { was: { a: 'p' }, is: { b: 'p' }, before: { a: body }, after: { b: body } },
    {},
  ],
  [
    'a passing test renamed and reworked a little',
    {
      was: { 'parses a date': 'p' },
      is: { 'parses any date': 'p' },
      before: { 'parses a date': body },
      after: { 'parses any date': `${body} log("done", twice, more)` },
    },
    {},
  ],
  [
    'a passing test replaced by another',
    { was: { a: 'p' }, is: { b: 'p' }, before: { a: body }, after: { b: other } },
    { a: 'missing!' },
  ],
  [
    'a passing test moved to another file',
    { was: { 'a.js > x': 'p' }, is: { 'b.js > x': 'p' }, before: { 'a.js > x': body }, after: { 'b.js > x': body } },
    {},
  ],
  ['a passing test moved, its body nowhere to be found', { was: { 'a.js > x': 'p' }, is: { 'b.js > x': 'p' } }, {}],
  [
    'a passing test moved and emptied',
    { was: { 'a.js > x': 'p' }, is: { 'b.js > x': 'p' }, before: { 'a.js > x': body }, after: { 'b.js > x': 'pass' } },
    { 'a.js > x': 'missing!' },
  ],
  [
    'a failing test renamed, the body as it was, and passing',
    { was: { a: 'f' }, is: { b: 'p' }, before: { a: body }, after: { b: body } },
    { b: 'fixed' },
  ],
  [
    'a failing test renamed and still failing',
    { was: { a: 'f' }, is: { b: 'f', [NEW]: 'p' }, before: { a: body }, after: { b: body } },
    { b: 'known!' },
  ],
  [
    'a failing test renamed, and what it expects changed',
    { was: { a: 'f' }, is: { b: 'p' }, before: { a: body }, after: { b: body.replace('toBe(30)', 'toBe(1)') } },
    { a: 'missing!' },
  ],
  [
    'a failing test renamed, its body nowhere to be found',
    { was: { 'parses a date': 'f' }, is: { 'parses dates': 'p' } },
    { 'parses a date': 'missing!' },
  ],
  [
    'a failing test moved, and what it expects changed',
    { was: { 'a.js > x': 'f' }, is: { 'b.js > x': 'p' }, before: { 'a.js > x': body }, after: { 'b.js > x': other } },
    { 'a.js > x': 'missing!' },
  ],
  [
    'parameters with other labels',
    { was: { 'test_a[1]': 'p', 'test_a[2]': 'p' }, is: { 'test_a[one]': 'p', 'test_a[two]': 'p' } },
    {},
  ],
  ['a test that got parameters', { was: { test_a: 'p' }, is: { 'test_a[one]': 'p', 'test_a[two]': 'p' } }, {}],
  ['a failing test that got parameters', { was: { test_a: 'f' }, is: { 'test_a[one]': 'p' } }, { test_a: 'missing!' }],
  [
    'fewer parameters',
    { was: { 'test_a[1]': 'p', 'test_a[2]': 'p' }, is: { 'test_a[one]': 'p' } },
    { 'test_a[1]': 'missing!', 'test_a[2]': 'missing!' },
  ],
  [
    'a failing row exchanged for a passing one',
    {
      was: { 'test_a[1]': 'p', 'test_a[2]': 'f' },
      is: { 'test_a[1]': 'p', 'test_a[3]': 'p' },
      before: { 'test_a[2]': body },
      after: { 'test_a[3]': body },
    },
    { 'test_a[2]': 'missing!' },
  ],
  [
    'a passing test split in two',
    { was: { a: 'p' }, is: { b: 'p', c: 'p' }, before: { a: `${body} ${other}` }, after: { b: body, c: other } },
    {},
  ],
  [
    'passing tests that became rows of a table',
    {
      was: { test_none: 'p', test_empty: 'p' },
      is: { 'test_bad[None]': 'p', 'test_bad[empty]': 'p', 'test_bad[host]': 'p' },
      before: { test_none: badUrl('None'), test_empty: badUrl("''") },
      after: Object.fromEntries(['None', 'empty', 'host'].map((row) => [`test_bad[${row}]`, BAD_URLS])),
    },
    {},
  ],
  [
    'passing tests that became rows of a table, one of them lost',
    {
      was: { test_none: 'p', test_empty: 'p' },
      is: { 'test_bad[None]': 'p' },
      before: { test_none: badUrl('None'), test_empty: badUrl("''") },
      after: { 'test_bad[None]': BAD_URLS },
    },
    { test_empty: 'missing!' },
  ],
  [
    'passing tests that became rows of a table, one of them skipped',
    {
      was: { test_none: 'p', test_empty: 'p' },
      is: { 'test_bad[None]': 'p', 'test_bad[empty]': 's' },
      before: { test_none: badUrl('None'), test_empty: badUrl("''") },
      after: { 'test_bad[None]': BAD_URLS, 'test_bad[empty]': BAD_URLS },
    },
    { test_empty: 'missing!' },
  ],
  [
    'a passing test, and a new table that calls something else',
    {
      was: { test_none: 'p' },
      is: { 'test_bad[None]': 'p' },
      before: { test_none: badUrl('None') },
      after: { 'test_bad[None]': BAD_URLS.replace('FqdnUrl()', 'Email()') },
    },
    { test_none: 'missing!' },
  ],
  [
    'a failing test that became a row of a table',
    {
      was: { test_none: 'f' },
      is: { 'test_bad[None]': 'p' },
      before: { test_none: badUrl('None') },
      after: { 'test_bad[None]': BAD_URLS },
    },
    { test_none: 'missing!' },
  ],
  [
    'two of one name, one of them gone',
    { was: { a: 'p' }, is: {}, moreIs: { total: 1, tests: [{ name: 'b', state: 'passed' }] } },
    { a: 'missing!' },
  ],
]

describe('failures that the user accepts', () => {
  it.each(accepted)('%s', (_name, row, expected) => {
    expect(standings(row)).toEqual(expected)
    const found = judge(row)
    expect(found.blocking).toEqual([])
    expect(found.accepted.length).toBeGreaterThan(0)
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

describe('reports without all names', () => {
  const counts = (passed: number, failed = 0, skipped = 0): Partial<TestRun> =>
    ({ passed, failed, skipped, total: passed + failed + skipped, tests: undefined }) as unknown as Partial<TestRun>
  const rows: readonly [
    name: string,
    row: Case,
    expected: { readonly failing?: number; readonly accepted?: number; readonly missing?: readonly string[] },
  ][] = [
    ['failures without a name', { moreIs: { failed: 3, total: 5 } }, { failing: 2 }],
    ['fewer tests', { moreWas: counts(9), moreIs: counts(7) }, { missing: ['2 tests that the report does not name'] }],
    ['more tests', { moreWas: counts(7), moreIs: counts(9) }, {}],
    [
      'a test skipped',
      { moreWas: counts(2), moreIs: counts(1, 0, 1) },
      { missing: ['1 test that the report does not name'] },
    ],
    [
      'a test skipped, another added',
      { moreWas: counts(2), moreIs: counts(2, 0, 1) },
      { missing: ['1 test that the report does not name'] },
    ],
    [
      'a test skipped, two gone',
      { moreWas: counts(9), moreIs: counts(6, 0, 1) },
      { missing: ['1 test that the report does not name', '2 tests that the report does not name'] },
    ],
    ['as many skipped as before', { moreWas: counts(2, 0, 1), moreIs: counts(3, 0, 1) }, {}],
    ['a skipped one runs now', { moreWas: counts(2, 0, 1), moreIs: counts(3) }, {}],
    ['what failed before, not accepted', { moreWas: counts(2, 1), moreIs: counts(3, 1) }, { failing: 1 }],
    [
      'what failed before, accepted',
      { moreWas: counts(2, 1), moreIs: counts(3, 1), acceptFailing: true },
      { accepted: 1 },
    ],
    [
      'what failed before, accepted, and one more',
      { moreWas: counts(2, 1), moreIs: counts(3, 2), acceptFailing: true },
      { failing: 1, accepted: 1 },
    ],
  ]
  it.each(rows)('%s', (_name, row, { failing = 0, accepted: excused = 0, missing: gone = [] }) => {
    const found = judge(row)
    expect([found.unnamed.failing, found.unnamed.accepted]).toEqual([failing, excused])
    expect(found.missing.map(({ name }) => name)).toEqual(gone)
  })
})

describe('tests with the same name', () => {
  const twice = (before: string, after: string) =>
    compareTests(
      run([...before].map((s) => ['a.js > x', s] as const)),
      run([...[...after].map((s) => ['a.js > x', s] as const), ['n.js > new', 'p'] as const]),
      contextOf({}),
    )
  const rows: [before: string, after: string, expected: string[]][] = [
    ['ff', 'ff', ['known!', 'known!']],
    // It is unclear whether one was fixed and the other broken, or neither.
    ['fp', 'pf', ['known!']],
    ['pp', 'pf', ['new!']],
    ['f', 'ff', ['known!', 'new!']],
    ['ff', 'f', ['missing!', 'known!']],
    ['pp', 'p', ['missing!']],
  ]
  it.each(rows)('%s then, %s now', (before, after, expected) => {
    const found = twice(before, after).tests.map(({ change: standing, blocks }) => standing + (blocks ? '!' : ''))
    expect(found.sort()).toEqual([...expected].sort())
  })

  it('are distinguished by their files', () => {
    const test = (file: string, state: TestState): TestCase => ({ name: 'x', file, state })
    const of = (tests: TestCase[]) =>
      run([], { tests, total: tests.length, failed: tests.filter(({ state }) => state === 'failed').length })
    const found = compareTests(
      of([test('a.js', 'failed'), test('b.js', 'failed')]),
      of([test('b.js', 'passed'), test('a.js', 'failed')]),
      contextOf({}),
    )
    expect(found.tests.map(({ file, change: standing }) => [file, standing])).toEqual([
      ['b.js', 'fixed'],
      ['a.js', 'known'],
    ])
  })
})

describe('always', () => {
  const states = fc.dictionary(
    fc.constantFrom('a.js > x', 'a.js > y', 'b.js > x', 'b.js > z', 'w'),
    fc.constantFrom('f', 'p', 's'),
  )
  it('lists every failing test once, and only the user can accept one', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const failing = Object.keys(after).filter((name) => after[name] === 'f')
        const found = judge({ was: before, is: after })
        const listed = found.tests.filter(({ change: standing }) => !['missing', 'fixed'].includes(standing))
        expect(listed.map(({ name }) => name).sort()).toEqual(failing.sort())
        expect(found.accepted).toEqual([])
        const accepting = judge({ was: before, is: after, acceptFailing: true })
        expect(accepting.accepted.map(({ name }) => name).sort()).toEqual(
          failing.filter((name) => before[name] === 'f'),
        )
        expect(accepting.missing).toEqual(found.missing)
      }),
    )
  })
})

describe('a test with another name and much more in its body', () => {
  const [name, other] = ['adds two small numbers', 'adds two small numbers and more']
  const START = `test('${name}', () => {\n  const total = add(1, 2)\n  assert.equal(total, 3)\n})\n`
  const AFTER = `test('${other}', () => {
  for (let [a, b, sum] of [[1, 2, 4 - 1], [10, 20, 30], [100, 200, 300], [7, 70, 77], [8, 80, 88]]) {
    assert.equal(add(a, b), sum)
  }
})
`
  it.each([
    ['is the same test', other, 'p', []],
    ['does not run', 'something else', 'p', [name]],
    ['is skipped', other, 's', [name]],
  ])('%s', async (_, title, state, expected) => {
    const made = project({ 'src/add.js': 'export const add = (a, b) => a - b\n', 'test/add.test.js': START })
    const [was, is] = [run([[name, 'p']]), run([[title, state]])]
    const baseline = { ...(await remember(made)), tests: was }
    made.write({ 'src/add.js': 'export const add = (a, b) => a + b\n', 'test/add.test.js': AFTER })
    const read = await compareContext(checkContext(made.workspace, { baseline }), { accept: [], acceptFailing: false })(
      is,
    )
    expect(compareTests(was, is, read).missing.map((test) => test.name)).toEqual(expected)
  })
})

describe('a file that could not be loaded', () => {
  const file = 'tests/test_add.py'
  it.each([
    ['can be loaded now', { [file]: 'def test_add():\n    assert True\n' }, []],
    ['is gone', {}, ['tests.test_add']],
  ])('%s', async (_, after, expected) => {
    const made = project({ 'add.py': '', [file]: 'import missing\n' })
    const [was, is] = [run([['tests.test_add', 'f']]), run([['tests.test_add > test_add', 'p']])]
    const baseline = { ...(await remember(made)), tests: was }
    made.remove(file)
    made.write(after)
    const read = await compareContext(checkContext(made.workspace, { baseline }), { accept: [], acceptFailing: false })(
      is,
    )
    expect(compareTests(was, is, read).missing.map((test) => test.name)).toEqual(expected)
  })
})
