import { describe, expect, it } from 'vitest'
import { casesOf, stateIn } from '../../../packages/exitgate/src/checks/reported-tests.ts'
import { sourceWithTests } from '../../../packages/exitgate/src/checks/sides.ts'
import { type Judgement, judgeTests } from '../../../packages/exitgate/src/checks/without.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import { movedEnvironment } from '../../../src/evidence/clean-room/moved-paths.ts'
import { type ChangedFile, planRedProof } from '../../../src/evidence/red-proof/plan.ts'
import { loadGrammars } from '../../../src/evidence/syntax/parse.ts'

await loadGrammars(['tsx', 'typescript', 'python', 'go', 'rust', 'java', 'c-sharp', 'ruby', 'php'])

/** `undefined` before: new. `undefined` after: deleted. */
type Texts = Readonly<Record<string, readonly [before: string | undefined, after: string | undefined]>>

const changes = (texts: Texts): ChangedFile[] =>
  Object.entries(texts).map(([path, [before, after]]) => ({
    path,
    wasThere: before !== undefined,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  }))

const testOf = (name: string, body: string) => `test('${name}', () => { ${body} })\n`
const ADDS = testOf('adds', 'expect(add(1, 2)).toBe(3)')
const MULTIPLIES = testOf('multiplies', 'expect(mul(2, 3)).toBe(6)')
const SOURCE = { 'src/calc.js': ['export const a = 1\n', 'export const a = 2\n'] } as const

describe('tests that need a proof', () => {
  const rows: [string, Texts, string[]][] = [
    ['a new test', { ...SOURCE, 'calc.test.js': [ADDS, ADDS + MULTIPLIES] }, ['multiplies']],
    [
      'the same assertion once more, after something else',
      {
        ...SOURCE,
        'calc.test.js': [
          testOf('sums', 'let n = add(1, 2); expect(n).toBe(3)'),
          testOf('sums', 'let n = add(1, 2); expect(n).toBe(3); n = add(0, 3); expect(n).toBe(3)'),
        ],
      },
      ['sums'],
    ],
    ['all tests in a new file', { ...SOURCE, 'calc.test.js': [undefined, ADDS + MULTIPLIES] }, ['adds', 'multiplies']],
    ['a test with another expected value', { ...SOURCE, 'calc.test.js': [ADDS, ADDS.replace('(3)', '(4)')] }, ['adds']],
    [
      'a test whose expected value was already in it',
      { ...SOURCE, 'calc.test.js': [ADDS, ADDS.replace('(3)', '(2)')] },
      ['adds'],
    ],
    ['not a renamed test', { ...SOURCE, 'calc.test.js': [ADDS, ADDS.replace("'adds'", "'sums up'")] }, []],
    ['not a moved test', { ...SOURCE, 'calc.test.js': [ADDS, undefined], 'sum.test.js': [undefined, ADDS] }, []],
    [
      'not a reformatted test',
      { ...SOURCE, 'calc.test.js': [ADDS, ADDS.replace('=> {', '=> { const unused = null;')] },
      [],
    ],
    [
      'not the parts of a split test',
      {
        ...SOURCE,
        'calc.test.js': [
          testOf('both', 'expect(add(1, 2)).toBe(3); expect(mul(2, 3)).toBe(6)'),
          testOf('adds up', 'expect(add(1, 2)).toBe(3)') + testOf('multiplies out', 'expect(mul(2, 3)).toBe(6)'),
        ],
      },
      [],
    ],
    [
      'not a table made from existing tests',
      {
        ...SOURCE,
        'calc.test.js': [
          testOf('adds 1', 'expect(add(10, 20)).toBe(30)') + testOf('adds 2', 'expect(add(40, 50)).toBe(90)'),
          "test.each([[10, 20, 30], [40, 50, 90]])('adds %i %i', (a, b, c) => { expect(add(a, b)).toBe(c) })\n",
        ],
      },
      [],
    ],
    [
      'a table with a new row',
      {
        ...SOURCE,
        'calc.test.js': [
          "test.each([[10, 20, 30]])('adds %i', (a, b, c) => { expect(add(a, b)).toBe(c) })\n",
          "test.each([[10, 20, 30], [7, 8, 15]])('adds %i', (a, b, c) => { expect(add(a, b)).toBe(c) })\n",
        ],
      },
      ['adds %i'],
    ],
    [
      'a test whose title has parts',
      {
        ...SOURCE,
        'calc.test.js': [
          ADDS,
          `${ADDS}for (const way of ['up', 'down']) test('rounds ' + way.name(1) + ' to ' + "whole" + ' numbers', () => { expect(round(1.5, way)).toBe(2) })\n`,
        ],
      },
      [`rounds \${way.name(1)} to whole numbers`],
    ],
    ['nothing if no source changed', { 'calc.test.js': [ADDS, ADDS + MULTIPLIES] }, []],
    ['a test of a document', { 'README.md': ['a', 'b'], 'calc.test.js': [ADDS, ADDS + MULTIPLIES] }, ['multiplies']],
    [
      'nothing if only settings changed',
      { 'package.json': ['{}', '{ }'], 'calc.test.js': [ADDS, ADDS + MULTIPLIES] },
      [],
    ],
    ['nothing if no tests changed', SOURCE, []],
    [
      'a complete file in a language without a reader',
      { ...SOURCE, 'test/a.bats': [undefined, '@test "a" { false; }'] },
      [''],
    ],
    [
      'in Python',
      {
        'calc.py': ['', 'x = 1'],
        'test_calc.py': [
          undefined,
          'class TestCalc(TestCase):\n    def test_mul(self):\n        self.assertEqual(mul(2, 3), 6)\n',
        ],
      },
      ['test_mul'],
    ],
  ]
  it.each(rows)('%s', (_, texts, names) => {
    expect(planRedProof(changes(texts)).tests.map(({ name }) => name)).toEqual(names)
  })
})

describe('reverted files', () => {
  const asked = { 'calc.test.js': [undefined, MULTIPLIES] } as const
  const rows: [string, Texts, { path: string; text?: string }[]][] = [
    ['a changed source', { 'src/a.js': ['old', 'new'] }, [{ path: 'src/a.js', text: 'old' }]],
    ['a new source', { 'src/a.js': [undefined, 'new'] }, [{ path: 'src/a.js' }]],
    ['a deleted source', { 'src/a.js': ['old', undefined] }, [{ path: 'src/a.js', text: 'old' }]],
    [
      'removals first',
      { 'src/a': ['old', undefined], 'src/a/b.js': [undefined, 'new'] },
      [{ path: 'src/a/b.js' }, { path: 'src/a', text: 'old' }],
    ],
    ['data that the source reads', { 'src/words.json': ['[]', '[1]'] }, [{ path: 'src/words.json', text: '[]' }]],
    ['not a test', { 'src/a.test.js': ['old', 'new'] }, []],
    ['not a snapshot', { 'src/__snapshots__/a.js.snap': ['old', 'new'] }, []],
    ['not a fixture', { 'tests/fixtures/a.json': ['old', 'new'], 'src/__mocks__/b.js': ['old', 'new'] }, []],
    ['not runner settings', { 'vitest.config.ts': ['old', 'new'], 'package.json': ['{}', '{ }'] }, []],
    ['not a lock file', { 'package-lock.json': ['old', 'new'], 'go.sum': ['old', 'new'] }, []],
    ['a document, which tests may read', { 'docs/a.md': ['old', 'new'] }, [{ path: 'docs/a.md', text: 'old' }]],
    [
      'not a workflow or a file of exitgate',
      { '.github/workflows/a.yml': ['1', '2'], 'exitgate.config.json': ['{}', '{ }'] },
      [],
    ],
  ]
  it.each(rows)('%s', (_, texts, expected) => {
    expect(planRedProof(changes({ ...asked, ...texts })).revert).toEqual(expected)
  })

  it('do not include a file whose old content is unknown', () => {
    const plan = planRedProof([...changes(asked), { path: 'src/logo.bin', wasThere: true }])
    expect(plan).toMatchObject({ revert: [], notReverted: ['src/logo.bin'] })
  })

  const RUST = (source: string, tests: string) => `${source}\n#[cfg(test)]\nmod tests {\n    ${tests}\n}\n`
  it('include the source in a file with tests, but not the tests', () => {
    const before = RUST('pub fn a() -> u8 { 1 }', '#[test]\n    fn old() { assert_eq!(super::a(), 1); }')
    const after = RUST('pub fn a() -> u8 { 2 }', '#[test]\n    fn fresh() { assert_eq!(super::a(), 2); }')
    const plan = planRedProof(changes({ 'src/lib.rs': [before, after] }))
    const text = RUST('pub fn a() -> u8 { 1 }', '#[test]\n    fn fresh() { assert_eq!(super::a(), 2); }')
    expect(plan.revert).toEqual([{ path: 'src/lib.rs', text }])
  })

  it.each([
    ['fn a() {}\n', RUST('fn b() {}', 'fn t() {}'), 'fn a() {}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n'],
    [
      'fn a() {}\n',
      `${RUST('fn b() {}', 'fn t() {}')}fn after() {}\n`,
      'fn a() {}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n',
    ],
    [
      `${RUST('fn a() {}', 'fn t() {}')}fn after() {}\n`,
      RUST('fn a() {}', 'fn fresh() {}'),
      `${RUST('fn a() {}', 'fn fresh() {}')}fn after() {}\n`,
    ],
    [RUST('fn a() {}', 'fn t() {}'), RUST('', 'fn t() {}').repeat(2), undefined],
    ['fn a() {}\n', 'fn b() {}\n', undefined],
  ])('source %j with the tests of %j', (source, tests, expected) => {
    expect(sourceWithTests(source, tests)).toBe(expected)
  })
})

const report = (
  tests: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>>,
  more: Partial<TestRun> = {},
): TestRun => {
  const cases = Object.entries(tests).map(([name, state]) => ({ name, state }))
  const count = (state: string) => cases.filter((each) => each.state === state).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  return { passed, failed, skipped, total: cases.length, ok: failed === 0, framework: 'any', tests: cases, ...more }
}

describe('a test in a report', () => {
  const asked = { file: 'tests/test_calc.py', groups: ['TestCalc'], name: 'test_mul', kind: 'new' } as const
  it.each([
    ['test_calc.TestCalc.test_mul'],
    ['tests/test_calc.py::TestCalc::test_mul'],
    ['TestCalc > test_mul'],
    ['tests/test_calc.py::TestCalc::test_mul[1-2]'],
    ['test_mul'],
    ['test_mul (test_calc.TestCalc.test_mul)'],
  ])('is found as %j', (name) => {
    expect(casesOf(report({ [name]: 'passed', other: 'failed' }), asked)).toHaveLength(1)
  })

  it.each([
    [{ name: 'TestMul', groups: [] }, 'TestMul/two_by_three', true],
    [{ name: 'adds %i and %i', groups: ['calc'] }, 'calc > adds 1 and 2', true],
    [{ name: 'adds #{a}', groups: [] }, 'adds 5', true],
    [{ name: 'adds', groups: ['calc'] }, 'Calc.adds()', true],
    [{ name: 'adds', groups: [] }, 'adds more', false],
    [{ name: 'adds %i', groups: [] }, 'subtracts 1', false],
  ])('%j as %j: %s', (test, name, found) => {
    const [one] = casesOf(report({ [name]: 'passed' }), { file: 'a.test.js', ...test })
    expect(one !== undefined).toBe(found)
  })

  it('is in a module, and cargo names the root of the crate', () => {
    const named = { name: 'quoted > tests > commas', state: 'passed', file: 'src/lib.rs' } as const
    const run = { ...report({}), passed: 1, total: 1, tests: [named] }
    expect(stateIn(run, { file: 'src/quoted.rs', groups: ['tests'], name: 'commas' })).toBe('passed')
    const other = { ...named, file: 'tests/quoted.rs' }
    expect(stateIn({ ...run, tests: [other] }, { file: 'src/other.rs', groups: ['tests'], name: 'commas' })).toBe(
      'absent',
    )
  })

  it('belongs to its own group', () => {
    const run = report({ 'test_other.TestOther.test_mul': 'failed', 'test_calc.TestCalc.test_mul': 'passed' })
    expect(stateIn(run, asked)).toBe('passed')
  })

  const unnamed = (failed: number, more: Partial<TestRun> = {}) =>
    report({}, { passed: 3 - failed, failed, total: 3, ...more })
  it.each([
    ['all passed and none is listed', unnamed(0), 'passed'],
    ['a failure has no name', unnamed(1), 'absent'],
    ['a suite did not load', unnamed(0, { suitesFailed: 1 }), 'absent'],
    ['fewer ran than before', unnamed(0, { total: 2, passed: 2 }), 'absent'],
    ['every test is listed', report({ 'test_calc.TestCalc.test_add': 'passed' }), 'absent'],
  ])('when %s', (_, run, state) => {
    expect(stateIn(run, asked, 3)).toBe(state)
  })
})

describe('the judgement', () => {
  const source = 'export const add = (a, b) => a + b\n'
  const plan = planRedProof(
    changes({
      'src/calc.js': [source, `${source}export const mul = (a, b) => a * b\n`],
      'src/order-total.js': [undefined, 'export const total = 1\n'],
      'calc.test.js': [undefined, `import { mul } from './src/calc.js'\n${MULTIPLIES}`],
      'order.test.js': [
        undefined,
        `import { total } from './src/order-total.js'\n${testOf('total', 'expect(total).toBe(1)')}`,
      ],
    }),
  )
  const now = report({ multiplies: 'passed', total: 'passed' })
  const rows: [string, TestRun | undefined, string, Judgement[]][] = [
    ['fails without the changes', report({ multiplies: 'failed', total: 'failed' }), '', ['proves', 'proves']],
    ['passes without the changes', report({ multiplies: 'passed', total: 'failed' }), '', ['vacuous', 'proves']],
    [
      'is skipped without the changes',
      report({ multiplies: 'skipped', total: 'passed' }),
      '',
      ['could-not-run', 'vacuous'],
    ],
    [
      "can't load what the changes added",
      undefined,
      "SyntaxError: The requested module './src/calc.js' does not provide an export named 'mul'\n\n\n\n" +
        "Error: Cannot find module '/x/src/order-total.js' imported from /x/order.test.js\n",
      ['proves', 'proves'],
    ],
    [
      "can't load something else",
      undefined,
      "Error: Cannot find module 'left-pad'\n",
      ['could-not-run', 'could-not-run'],
    ],
    ['crashed', undefined, 'Segmentation fault\n', ['could-not-run', 'could-not-run']],
  ]
  it.each(rows)('%s', (_, run, output, judgements) => {
    expect(judgeTests(plan, now, { run, output }).map(({ judgement }) => judgement)).toEqual(judgements)
  })

  it.each([
    ['of a function that it calls', 'def test_locked():\n    assert get(1) == 1\n', 'proves'],
    ['of a decorator in a class that it uses', 'def test_locked():\n    assert Locked().get(1) == 1\n', 'proves'],
    ['that it does not use', 'def test_locked():\n    assert other(1) == 1\n', 'could-not-run'],
  ])('can be a new parameter %s', (_, test, judgement) => {
    const source = (parameters: string) => `def one(cond):\n    pass\n\ndef cached(${parameters}):\n    return cond\n`
    const helpers =
      'class Locked:\n    @cached(cond=1)\n    def get(self, n):\n        return n\n\nget = cached(cond=2)\n\n'
    const own = planRedProof(
      changes({
        'src/cache.py': [source('key'), source('key, cond')],
        'tests/test_cache.py': [undefined, `from cache import cached, other\n\n${helpers}${test}`],
      }),
    )
    const output = "E   TypeError: cached() got an unexpected keyword argument 'cond'\n"
    const judged = judgeTests(own, report({ test_locked: 'passed' }), { run: undefined, output })
    expect(judged.map((each) => each.judgement)).toEqual([judgement])
  })

  it('requires that the test passes with the changes', () => {
    const judged = judgeTests(plan, report({ multiplies: 'failed' }), { run: report({}), output: '' })
    expect(judged.map(({ why }) => why)).toEqual(['it fails with the changes too', 'no report contains it'])
  })
})

describe('the environment of the copy', () => {
  const top = { from: '/home/a/work', to: '/tmp/copy' }
  it.each([
    ['PYTHONPATH', '/home/a/work/src:/opt/lib', '/tmp/copy/src:/opt/lib'],
    ['NODE_PATH', '/home/a/work', '/tmp/copy'],
    ['CLASSPATH', '/x:/home/a/work:/home/a/work/lib', '/x:/tmp/copy:/tmp/copy/lib'],
    ['HOME', '/home/a', undefined],
    ['OTHER', '/home/a/workshop', undefined],
    ['DEPLOY_TOKEN', '/home/a/work/token', undefined],
  ])('%s=%s becomes %s', (name, value, moved) => {
    expect(movedEnvironment({ [name]: value, CI: 'true' }, [], top)).toEqual(
      moved === undefined ? {} : { [name]: moved },
    )
  })
})
