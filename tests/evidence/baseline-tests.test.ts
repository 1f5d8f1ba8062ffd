import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { changedSince } from '../../src/evidence/baseline/changed.ts'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { type BaselineTestsOptions, baselineTestsCheck } from '../../src/evidence/checks/baseline-tests.ts'
import { collectTests } from '../../src/evidence/checks/tests.ts'
import { project } from './git-project.ts'
import { contextOf, NODE, ONE_NODE, runPlain, testCommand } from './red-proof/proving.ts'

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

interface Case {
  readonly start?: Readonly<Record<string, string>>
  readonly work: Readonly<Record<string, string>>
  readonly remove?: readonly string[]
  readonly options?: Partial<BaselineTestsOptions>
  readonly claim?: boolean
  readonly command?: string
  readonly answer: string | undefined
  readonly detail?: RegExp
  /** How often the tests ran in a copy. */
  readonly runs: number
}

const allow = (kind: string) => ({ allow: [{ kind, file: 'test/**', reason: 'the test was wrong' }] })

const cases: Record<string, Case> = {
  'the expected values are what the bug gives': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    answer: 'no',
    detail:
      /^2 fixed tests still fail with the original test files: "adds" and "is recorded"\. Changed: test\/__snap.* and test\/calc\.test\.mjs\. Fix the code, or allow the test change in evidence\.allow \(kind expectation-changed\)\.$/,
    runs: 2,
  },
  'one expected value, while the other test was really fixed': {
    start: { ...START, 'test/calc.test.mjs': TEST.replace('mul(2, 3), 6', 'mul(2, 3), 7') },
    work: { 'src/calc.mjs': RIGHT, 'test/calc.test.mjs': TEST },
    answer: 'no',
    detail: /^1 fixed test still fails with the original test files: "multiplies"/,
    runs: 2,
  },
  'a helper that compares nothing': {
    work: { 'test/helpers/equal.mjs': 'export const equal = () => {}\n' },
    answer: 'no',
    detail: /"adds" and "is recorded"\. Changed: test\/helpers\/equal\.mjs/,
    runs: 2,
  },
  'the source was fixed and the tests were tidied': {
    work: { 'src/calc.mjs': RIGHT, 'test/calc.test.mjs': `// Sums and products.\n${TEST}` },
    answer: 'yes',
    detail: /^\d fixed tests? pass(?:es)? with the original test files too/,
    runs: 1,
  },
  'behaviour that was right before is changed with its test': {
    work: {
      'src/calc.mjs': RIGHT.replace('a * b', 'a * b * 2'),
      'test/calc.test.mjs': TEST.replace('mul(2, 3), 6', 'mul(2, 3), 12'),
    },
    answer: 'yes',
    runs: 1,
  },
  'a test that tries until it is passing': {
    start: { ...START, 'src/calc.mjs': RIGHT },
    work: { 'src/calc.mjs': FLAKY, 'test/calc.test.mjs': TEST.replace('=> equal(add(1, 2), 3)', PATIENT) },
    answer: 'no',
    detail: /^1 test is flaky with the original test files; the change only adds a retry: "adds"\. Changed: test\/calc/,
    runs: 2,
  },
  'a loop in a test of steady code': {
    start: { ...START, 'src/calc.mjs': RIGHT },
    work: {
      'src/calc.mjs': `${RIGHT}export const neg = (a) => -a\n`,
      'test/calc.test.mjs': TEST.replace('=> equal(add(1, 2), 3)', PATIENT),
    },
    answer: 'yes',
    runs: 2,
  },
  'only the source was changed': { work: { 'src/calc.mjs': RIGHT }, answer: undefined, runs: 0 },
  'new tests next to the old ones': {
    work: { 'src/calc.mjs': RIGHT, 'test/more.test.mjs': TEST.replace(/'(adds|multiplies|is)/g, "'again $1") },
    answer: undefined,
    runs: 0,
  },
  'a test still fails': { work: { 'test/calc.test.mjs': FIRST }, answer: undefined, runs: 0 },
  'nothing failed before': {
    start: { ...START, 'src/calc.mjs': RIGHT },
    work: { 'test/calc.test.mjs': `${TEST}\n` },
    answer: undefined,
    runs: 0,
  },
  'nothing is claimed': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    claim: false,
    answer: undefined,
    runs: 0,
  },
  'the user allows it': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    options: allow('expectation-changed'),
    answer: undefined,
    runs: 0,
  },
  'the user allows something else': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    options: allow('test-skipped'),
    answer: 'no',
    runs: 2,
  },
  'the user accepts the tests by name': {
    work: { 'test/calc.test.mjs': FIRST, ...RECORDED },
    options: { accept: ['adds', 'is recorded'] },
    answer: undefined,
    runs: 0,
  },
  'tests that fail in every copy': {
    command: NODE,
    start: {
      ...START,
      'test/helpers/equal.mjs': `${START['test/helpers/equal.mjs']}import { existsSync } from 'node:fs'\nassert.ok(existsSync('.git'))\n`,
      'test/calc.test.mjs':
        "import test from 'node:test'\nimport assert from 'node:assert'\nimport { existsSync } from 'node:fs'\nimport { add } from '../src/calc.mjs'\ntest('adds', () => { assert.ok(existsSync('.git')); assert.equal(add(1, 2), 3) })\n",
    },
    work: {
      'src/calc.mjs': RIGHT,
      'test/calc.test.mjs':
        "import test from 'node:test'\nimport assert from 'node:assert'\nimport { existsSync } from 'node:fs'\nimport { add } from '../src/calc.mjs'\ntest('adds', () => { assert.ok(existsSync('.git')); assert.equal(add(2, 2), 4) })\n",
    },
    answer: 'unknown',
    detail: /The tests fail even in an unchanged copy/,
    runs: 2,
  },
}

it.each(Object.entries(cases))(
  '%s',
  async (_name, {
    start = START,
    work,
    remove = [],
    options,
    claim = true,
    command = ONE_NODE,
    answer,
    detail,
    runs,
  }) => {
    const made = project(start)
    const { workspace } = made
    const commands = [testCommand(command)]
    const run = (detected: (typeof commands)[number]) => runPlain(workspace, detected, { deadlineMs: 60_000 })
    const { run: tests } = await run(commands[0]!)
    expect(tests).toBeDefined()
    const { id } = await takeBaseline(
      { workspace, commands, evidence: {}, tree: 'start', at: 0, keep: [], ...(tests && { tests }) },
      made.state,
    )
    const baseline = openBaseline(made.state, { expect: id })
    if (baseline === undefined) throw new Error('the baseline was not kept')
    made.write(work)
    made.remove(...remove)
    const context = contextOf(workspace, { baseline, claim })
    let copies = 0
    const check = baselineTestsCheck({
      commands,
      run: (...args) => {
        copies += 1
        return runPlain(...args)
      },
      changed: () => changedSince(baseline, workspace),
      testsNow: () => collectTests({ commands, run, confirmRuns: 0 }, context),
      accept: [],
      allow: [],
      scratch: { root },
      ...options,
    })
    const [evidence] = await check.collect(context)
    expect([evidence?.answer, copies], evidence?.detail).toEqual([answer, runs])
    expect(evidence?.detail ?? '').toMatch(detail ?? /^/)
    expect(readdirSync(root)).toEqual([])
  },
)
