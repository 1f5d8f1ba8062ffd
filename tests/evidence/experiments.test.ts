import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runExperiments } from '../../packages/exitgate/src/checks/experiments.ts'
import type { TestCase, TestRun } from '../../packages/test-output/src/types.ts'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { provenCheck } from '../../src/evidence/checks/proven.ts'
import { tamperingCheck } from '../../src/evidence/checks/tampering.ts'
import type { Allowance } from '../../src/evidence/tampering/index.ts'
import { project } from './git-project.ts'
import { NODE, ONE_NODE, type Proving, prove, runPlain, testCommand } from './red-proof/proving.ts'

const noProve = spawnSync('prove', ['--version']).status === 0 ? undefined : 'prove is not installed'

let root: string
let marks: string
beforeEach(() => {
  marks = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-marks-')))
  root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-root-')))
  // The state that a flaky source keeps for its next process belongs to this test only.
  vi.stubEnv('TMPDIR', marks)
})
afterEach(() => {
  vi.unstubAllEnvs()
  for (const folder of [root, marks]) rmSync(folder, { recursive: true, force: true })
})

const WRONG = 'export const add = (a, b) => a - b\nexport const mul = (a, b) => a * b\n'
const RIGHT = WRONG.replace('a - b', 'a + b')
const TEST = `import test from 'node:test'
import { equal } from './helpers/equal.mjs'
import { readFileSync } from 'node:fs'
import { add, mul } from '../src/calc.mjs'
test('adds', () => equal(add(1, 2), 3))
test('multiplies', () => equal(mul(2, 3), 6))
test('is recorded', () => equal(add(1, 1), JSON.parse(readFileSync('test/__snapshots__/sum.json', 'utf8'))))
`
const DIRECT = TEST.replaceAll('=> equal(', '=> assert.equal(').replace(
  'import test',
  "import assert from 'node:assert'\nimport test",
)
const START = {
  'src/calc.mjs': WRONG,
  'test/helpers/equal.mjs': "import assert from 'node:assert'\nexport const equal = (a, b) => assert.equal(a, b)\n",
  'test/calc.test.mjs': TEST,
  'test/__snapshots__/sum.json': '2\n',
}
const [FIRST, RECORDED] = [TEST.replace('add(1, 2), 3', 'add(1, 2), -1'), { 'test/__snapshots__/sum.json': '0\n' }]

/** Every second process gets a wrong first sum. */
const FLAKY = `import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
const mark = tmpdir() + '/calc.mark'
let wrong = existsSync(mark)
if (wrong) rmSync(mark)
else writeFileSync(mark, '')
export const add = (a, b) => { if (!wrong) return a + b; wrong = false; return 0 }
export const mul = (a, b) => a * b
`
const PATIENT = `=> {
  for (let left = 3; left > 0 && add(1, 2) !== 3; left--);
  equal(add(1, 2), 3)
}`

const renamed = (name: string, n: number, result = n + 1) =>
  `import test from 'node:test'\nimport assert from 'node:assert'\nimport { ${name} } from '../src/calc.mjs'\ntest('${name} of ${n}', () => assert.equal(${name}(${n}, 1), ${result}))\n`
const renaming = (name: string) => ({
  'src/calc.mjs': `export const ${name} = (a, b) => a + b\n`,
  'test/first.test.mjs': renamed(name, 1),
  'test/second.test.mjs': renamed(name, 2),
})

interface Case {
  readonly start?: Readonly<Record<string, string>>
  readonly work: Readonly<Record<string, string>>
  readonly remove?: readonly string[]
  readonly options?: Proving
  readonly allow?: readonly Allowance[]
  readonly changedTests?: 'ask' | 'block'
  readonly command?: string
  /** Of the check `tampering`. */
  readonly answer: 'yes' | 'no'
  readonly detail?: RegExp
  /** What became of the original tests that don't pass, sorted. */
  readonly refuted?: readonly string[]
  readonly cleared?: number
  /** Why the original tests show nothing. */
  readonly why?: RegExp
}

const allow = (kind: string): readonly Allowance[] => [{ kind, file: 'test/**', reason: 'the test was wrong' }]

const cases: Record<string, Case> = {
  'the expected values are what the bug gives': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    answer: 'no',
    detail: /Test "adds" failed before the run, and passes only because it was changed/,
    refuted: ['adds: still-failing', 'is recorded: still-failing'],
    cleared: 1,
  },
  'one expected value, while the other test was really fixed': {
    start: { ...START, 'test/calc.test.mjs': TEST.replace('mul(2, 3), 6', 'mul(2, 3), 7') },
    work: { 'src/calc.mjs': RIGHT, 'test/calc.test.mjs': TEST },
    answer: 'no',
    refuted: ['multiplies: still-failing'],
    cleared: 2,
  },
  'a helper that compares nothing': {
    work: { 'test/helpers/equal.mjs': 'export const equal = () => {}\n' },
    answer: 'no',
    refuted: ['adds: still-failing', 'is recorded: still-failing'],
  },
  'the source was fixed and the tests were tidied': {
    work: { 'src/calc.mjs': RIGHT, 'test/calc.test.mjs': `// Sums and products.\n${TEST}` },
    answer: 'yes',
    cleared: 3,
  },
  'behaviour that was right before is changed with its test': {
    work: {
      'src/calc.mjs': RIGHT.replace('a * b', 'a * b * 2'),
      'test/calc.test.mjs': TEST.replace('mul(2, 3), 6', 'mul(2, 3), 12'),
    },
    answer: 'yes',
    detail: /Test "multiplies" expects something else now\. Review it/,
    refuted: ['multiplies: changed'],
  },
  ...Object.fromEntries(
    (
      [
        ['checks only part of a changed value', '=> assert.match(String(mul(2, 3)), /6/)', 'lost'],
        ['checks under a condition', '=> { if (mul(2, 3) === 6) assert.equal(mul(2, 3), 6) }', 'lost'],
        ['loops over nothing', '=> { for (const n of []) { assert.equal(mul(n, 3), 6) } }', 'lost'],
        ['checks with a helper, under a condition', '=> { if (mul(2, 3) === 6) equal(mul(2, 3), 6) }', 'changed'],
      ] as const
    ).map(([name, body, is]) => [
      `a test that ${name}`,
      {
        start: { ...START, 'test/calc.test.mjs': is === 'lost' ? DIRECT : TEST },
        work: {
          'src/calc.mjs': RIGHT.replace('a * b', 'a * b * 11'),
          'test/calc.test.mjs': (is === 'lost' ? DIRECT : TEST).replace(
            /=> (?:assert\.)?equal\(mul\(2, 3\), 6\)/,
            body,
          ),
        },
        answer: is === 'lost' ? ('no' as const) : ('yes' as const),
        refuted: [`multiplies: ${is}`],
      },
    ]),
  ),
  'a test of a new helper instead of the product': {
    work: {
      'src/calc.mjs': RIGHT.replace('a * b', 'a * b * a'),
      'test/helpers/times.mjs': 'export const mul = (a, b) => Array(a).fill(b).reduce((x, y) => x + y)\n',
      'test/calc.test.mjs': TEST.replace('{ add, mul }', '{ add }').replace(
        'import test',
        "import { mul } from './helpers/times.mjs'\nimport test",
      ),
    },
    answer: 'no',
    detail: /mul comes from \.\/helpers\/times\.mjs instead of \.\.\/src\/calc\.mjs/,
    refuted: ['multiplies: lost'],
  },
  'the same, where a changed test blocks': {
    work: {
      'src/calc.mjs': RIGHT.replace('a * b', 'a * b * 2'),
      'test/calc.test.mjs': TEST.replace('mul(2, 3), 6', 'mul(2, 3), 12'),
    },
    changedTests: 'block',
    answer: 'no',
    detail: /Test "multiplies" expects something else now\. Review it/,
    refuted: ['multiplies: changed'],
  },
  'a loop in a test of steady code': {
    start: { ...START, 'src/calc.mjs': RIGHT },
    work: {
      'src/calc.mjs': `${RIGHT}export const neg = (a) => -a\n`,
      'test/calc.test.mjs': TEST.replace('=> equal(add(1, 2), 3)', PATIENT),
    },
    answer: 'yes',
    cleared: 3,
  },
  'only the source was changed': { work: { 'src/calc.mjs': RIGHT }, answer: 'yes', cleared: 3 },
  'new tests next to the old ones': {
    work: { 'src/calc.mjs': RIGHT, 'test/more.test.mjs': TEST.replace(/'(adds|multiplies|is)/g, "'again $1") },
    answer: 'yes',
    cleared: 3,
  },
  'a function renamed in the tests and their titles, beside a new test': {
    command: NODE,
    start: renaming('plus'),
    work: { ...renaming('sum'), 'test/new.test.mjs': renamed('sum', 9, 10) },
    answer: 'yes',
    refuted: ['plus of 1: adapted', 'plus of 2: adapted'],
  },
  'the same, and a helper has other values': {
    command: NODE,
    start: { ...renaming('plus'), 'test/helpers/values.mjs': 'export const one = 1\n' },
    work: { ...renaming('sum'), 'test/helpers/values.mjs': 'export const one = 7\n' },
    answer: 'yes',
    refuted: ['plus of 1: changed', 'plus of 2: changed'],
  },
  'the user allows it': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    allow: allow('expectation-changed'),
    answer: 'yes',
    refuted: ['adds: still-failing', 'is recorded: still-failing'],
  },
  'the user allows something else': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    allow: allow('test-skipped'),
    answer: 'no',
    refuted: ['adds: still-failing', 'is recorded: still-failing'],
  },
  'the user accepts the tests by name': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    options: { accept: ['adds', 'is recorded'] },
    answer: 'yes',
    cleared: 1,
  },
  'tests that fail in every copy': {
    command: NODE,
    start: {
      ...START,
      'test/helpers/equal.mjs': `${START['test/helpers/equal.mjs']}import { existsSync } from 'node:fs'\nassert.ok(existsSync('.git'))\n`,
      'src/calc.mjs': RIGHT,
    },
    work: { 'test/calc.test.mjs': TEST.replace('add(1, 2), 3', 'add(2, 2), 4') },
    answer: 'yes',
    why: /^The original tests could not be run on the new code: /,
  },
}

const SOURCE = 'export const parse = (text) => ({ name: text, length: text.length })\n'
const testOf = (...lines: readonly string[]) => `import test from 'node:test'
import assert from 'node:assert'
import { parse } from '../src/parse.mjs'
test('parses', () => {
${lines.map((line) => `  ${line}\n`).join('')}})
test('counts', () => assert.equal(parse('ab').length, 2))
`
const NAME = "assert.equal(parse('a').name, 'a')"
const LENGTH = "assert.equal(parse('a').length, 1)"
const UPPER = "assert.equal(parse('a').upper, 'A')"
const WITH_UPPER = SOURCE.replace('name: text', 'name: text, upper: text.toUpperCase()')
const BROKEN = WITH_UPPER.replace('length: text.length', 'length: text.length + (text.length < 2)')
const parsing = (source: string, test: string) => ({
  start: { 'src/parse.mjs': SOURCE, 'test/parse.test.mjs': testOf(NAME, LENGTH) },
  work: { 'src/parse.mjs': source, 'test/parse.test.mjs': test },
})

const rewritten: Record<string, Case> = {
  'the old version passes': { ...parsing(WITH_UPPER, testOf(UPPER)), answer: 'yes', cleared: 2 },
  'the old version passes, and the new one checks less': {
    ...parsing(WITH_UPPER, testOf(NAME)),
    answer: 'yes',
    cleared: 2,
  },
  'the assertion that it lost fails now': {
    ...parsing(BROKEN, testOf(UPPER)),
    answer: 'no',
    detail: /Test "parses" fails in its original version/,
    refuted: ['parses: lost'],
  },
  // Run A already refuses a test that is missing, so nothing more runs.
  'it is gone, and would fail': {
    ...parsing(BROKEN, testOf(NAME).replace(/test\('parses'[^}]*\}\)\n/, '')),
    answer: 'no',
  },
  'it is skipped, and would fail': {
    ...parsing(BROKEN, testOf(NAME, LENGTH).replace("test('parses'", "test.skip('parses'")),
    answer: 'no',
  },
  'it is skipped, and would pass': {
    ...parsing(WITH_UPPER, testOf(NAME, LENGTH).replace("test('parses'", "test.skip('parses'")),
    answer: 'no',
  },
  'only the tests changed': { ...parsing(SOURCE, testOf(NAME)), answer: 'yes', cleared: 2 },
}

async function tried({
  start = START,
  work,
  remove = [],
  options = {},
  allow = [],
  command = ONE_NODE,
  changedTests,
}: Case) {
  const made = project(start)
  const { workspace } = made
  const commands = [testCommand(command)]
  const { run: tests } = await runPlain(workspace, commands[0]!, { deadlineMs: 60_000 })
  expect(tests).toBeDefined()
  const { id } = await takeBaseline(
    { workspace, commands, evidence: {}, tree: 'start', at: 0, keep: [], ...(tests && { tests }) },
    made.state,
  )
  const baseline = openBaseline(made.state, { expect: id })
  if (baseline === undefined) throw new Error('the baseline was not kept')
  made.write(work)
  made.remove(...remove)
  const proved = await prove(made, baseline, commands, {
    check: (from) => tamperingCheck(allow, from, [], undefined, [], changedTests),
    scratch: { root },
    ...options,
  })
  expect(readdirSync(root)).toEqual([])
  return proved
}

describe.each([
  ['the original tests decide', cases],
  ['a rewritten test', rewritten],
])('%s', (_group, rows) => {
  it.each(Object.entries(rows))('%s', async (_name, row) => {
    const { evidence, proof } = await tried(row)
    const { refuted = [], cleared, why = '' } = proof?.originals ?? {}
    expect([evidence?.answer, refuted.map(({ name, is }) => `${name}: ${is}`).sort()], evidence?.detail).toEqual([
      row.answer,
      row.refuted ?? [],
    ])
    expect(evidence?.detail).toMatch(row.detail ?? /./)
    expect(why).toMatch(row.why ?? /^$/)
    if (row.cleared !== undefined) expect(cleared).toBe(row.cleared)
  })
})

it('a test that is new and tries until it passes does not hide that the code is unsteady', async () => {
  const { proof } = await tried({
    start: { ...START, 'src/calc.mjs': RIGHT },
    work: { 'src/calc.mjs': FLAKY, 'test/calc.test.mjs': TEST.replace('=> equal(add(1, 2), 3)', PATIENT) },
    answer: 'no',
  })
  const { flaky, refuted } = proof!.originals!
  expect([...flaky, ...refuted].map(({ name }) => name)).toContain('adds')
})

it.for([
  ['notices', 'main->can("mul") && mul(2, 3) == 6', 'yes'],
  ['is always true', '1', 'no'],
] as const)(
  'names without files, in a language that nothing reads: a test %s',
  async ([_, condition, answer], { skip }) => {
    skip(noProve !== undefined, noProve)
    const perlTest = (name: string, holds: string) =>
      `use Test::More tests => 1;\nrequire './calc.pl';\nok(${holds}, '${name}');\n`
    const { evidence } = await tried({
      start: { 'calc.pl': 'sub add { $_[0] + $_[1] }\n1;\n', 't/add.t': perlTest('adds', 'add(1, 2) == 3') },
      work: {
        'calc.pl': 'sub add { $_[0] + $_[1] }\nsub mul { $_[0] * $_[1] }\n1;\n',
        't/mul.t': perlTest('multiplies', condition),
      },
      command: 'prove -v t',
      options: { check: (tests) => provenCheck({ tests, proof: 'required' }) },
      answer,
    })
    expect([evidence?.answer, evidence?.detail]).toEqual([
      answer,
      expect.stringContaining('1 new, changed or fixed test'),
    ])
  },
)

describe('a second run of the changed test files', () => {
  const passed = (name: string, file = 'test/base.py') => ({ name, file, state: 'passed' as const })
  const runOf = (...tests: readonly TestCase[]): TestRun => ({
    ok: tests.every(({ state }) => state === 'passed'),
    framework: 'pytest',
    total: tests.length,
    passed: tests.filter(({ state }) => state === 'passed').length,
    failed: tests.filter(({ state }) => state === 'failed').length,
    skipped: 0,
    tests,
  })
  // pytest reports an inherited test with the file that defines it.
  const [own, inherited] = [passed('base.TestBase > loads'), passed('other.TestBase > loads')]
  const failed = { ...own, state: 'failed' as const }
  const rows: Record<string, [few: TestRun, all: TestRun, flaky: readonly string[], runs: number]> = {
    'has all tests': [runOf(own, inherited), runOf(), [], 1],
    'lacks tests that other files run too': [runOf(own), runOf(own, inherited), [], 2],
    'lacks tests that are gone with all files too': [runOf(own), runOf(own), [inherited.name], 2],
    'lacks tests, and has one that fails': [runOf(failed), runOf(own, inherited), [own.name], 1],
    'has a test that fails': [runOf(failed, inherited), runOf(), [own.name], 1],
  }
  it.each(Object.entries(rows))('%s', async (_name, [few, all, flaky, runs]) => {
    let count = 0
    const questions = { again: new Set(['test/base.py']) }
    const found = await runExperiments({ run: runOf(own, inherited), ms: 1 }, questions, async ({ only }) => {
      count++
      return { run: only === undefined ? all : few, output: '' }
    })
    expect(found.flaky.map(({ name }) => name)).toEqual(flaky)
    expect(count).toBe(runs)
  })
})
