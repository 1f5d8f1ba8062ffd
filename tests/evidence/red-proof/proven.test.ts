import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { takeBaseline } from '../../../src/evidence/baseline/take.ts'
import { noPython } from '../../no-python.ts'
import { baselineOf } from '../baseline-of.ts'
import { type Project, project } from '../git-project.ts'
import { NODE, ONE_NODE, type Proof, type Proving, PYTHON, prove, remember, runPlain, testCommand } from './proving.ts'

const noProve = spawnSync('prove', ['--version']).status === 0 ? undefined : 'prove is not installed'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-root-')))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

const ADD = 'export const add = (a, b) => a + b\n'
const MUL = 'export const mul = (a, b) => a * b\n'
const NODE_TEST = "import test from 'node:test'\nimport assert from 'node:assert'\n"
const ADD_TEST = `${NODE_TEST}import { add } from '../src/calc.mjs'\ntest('adds', () => assert.equal(add(1, 2), 3))\n`
const START = { 'src/calc.mjs': ADD, 'test/calc.test.mjs': ADD_TEST, 'README.md': 'calc\n' }

const mulTest = (body: string) =>
  `${NODE_TEST}import * as calc from '../src/calc.mjs'\ntest('multiplies', () => { ${body} })\n`

const allTests = (...bodies: readonly string[]) => `import assert from 'node:assert'
import * as calc from '../src/calc.mjs'
let failed = 0
const test = (name, body) => { try { body() } catch { failed += 1 } }
${bodies.map((body, at) => `test('number ${at}', () => { ${body} })\n`).join('')}
console.log('Tests:       ' + (failed > 0 ? failed + ' failed, ' : '') + (${bodies.length} - failed) + ' passed, ${bodies.length} total')
process.exitCode = failed > 0 ? 1 : 0
`
const COUNTING = { 'src/calc.mjs': ADD, 'test/all.mjs': allTests('assert.equal(calc.add(1, 2), 3)') }
/** A script whose output has only counts, with more tests. */
const counting = (...bodies: readonly string[]) => ({
  start: COUNTING,
  work: { 'src/calc.mjs': ADD + MUL, 'test/all.mjs': allTests('assert.equal(calc.add(1, 2), 3)', ...bodies) },
  command: 'node test/all.mjs',
})
const perlTest = (condition: string) =>
  `use Test::More tests => 1;\nrequire './calc.pl';\nok(${condition}, 'it is right');\n`

interface Case {
  readonly start?: Readonly<Record<string, string>>
  readonly work: Readonly<Record<string, string>>
  readonly remove?: readonly string[]
  readonly answer: string | undefined
  readonly counts?: readonly [proves: number, vacuous: number, couldNotRun: number]
  readonly detail?: RegExp
  readonly command?: string
  readonly cwd?: string
  readonly runs?: number
}

const cases: Record<string, Case> = {
  'an honest change': {
    work: { 'src/calc.mjs': ADD + MUL, 'test/mul.test.mjs': mulTest('assert.equal(calc.mul(2, 3), 6)') },
    answer: 'yes',
    counts: [1, 0, 0],
  },
  'a test that asserts nothing': {
    work: { 'src/calc.mjs': ADD + MUL, 'test/mul.test.mjs': mulTest('assert(true)') },
    answer: 'no',
    counts: [0, 1, 0],
    detail: /so proving nothing: .*multiplies \(test\/mul\.test\.mjs\)/,
  },
  'a test of its own mock': {
    work: {
      'src/calc.mjs': ADD + MUL,
      'test/mul.test.mjs': mulTest('const mul = () => 6; assert.equal(mul(2, 3), 6)'),
    },
    answer: 'no',
    counts: [0, 1, 0],
  },
  'a changed test over changed behaviour': {
    work: {
      'src/calc.mjs': 'export const add = (a, b) => a + b + 1\n',
      'test/calc.test.mjs': ADD_TEST.replace('3))', '4))'),
    },
    answer: 'no',
    counts: [0, 0, 1],
    detail: /its expected value was changed, and the task does not name the new one/,
  },
  'a changed test over the old behaviour': {
    work: { 'src/calc.mjs': ADD + MUL, 'test/calc.test.mjs': ADD_TEST.replace('add(1, 2), 3', 'add(2, 2), 4') },
    answer: 'no',
    counts: [0, 1, 0],
  },
  'a new module that its test imports': {
    command: NODE,
    work: {
      'src/mul.mjs': MUL,
      'test/mul.test.mjs': `${NODE_TEST}import { mul } from '../src/mul.mjs'\ntest('multiplies', () => assert.equal(mul(2, 3), 6))\n`,
    },
    answer: 'yes',
    counts: [1, 0, 0],
    detail: /^1 of 1 new, changed or fixed test fails without the code changes, as expected\.$/,
  },
  'a new module with nothing but data': {
    command: NODE,
    work: {
      'src/months.mjs': "export const MONTHS = ['January']\nexport const nameOf = (month) => MONTHS[month]\n",
      'test/months.test.mjs': `${NODE_TEST}import { MONTHS } from '../src/months.mjs'\ntest('starts', () => assert.equal(MONTHS[0], 'January'))\n`,
    },
    answer: 'yes',
    counts: [1, 0, 0],
    detail: /could not be loaded: starts \(it can't be loaded without months/,
  },
  'a new module whose test only compares it with itself': {
    command: NODE,
    work: {
      'src/mul.mjs': MUL,
      'test/mul.test.mjs': `${NODE_TEST}import { mul } from '../src/mul.mjs'\ntest('multiplies', () => assert.equal(mul(2, 3), mul(2, 3)))\ntest('is a function', () => assert.equal(typeof mul, 'function'))\n`,
    },
    answer: 'no',
    counts: [0, 2, 0],
  },
  'a new export that its test imports': {
    command: NODE,
    work: {
      'src/calc.mjs': ADD + MUL,
      'test/calc.test.mjs': `${ADD_TEST.replace('{ add }', '{ add, mul }')}test('multiplies', () => assert.equal(mul(2, 3), 6))\n`,
    },
    answer: 'yes',
    counts: [1, 0, 0],
    detail: /as expected\.$/,
  },
  'a new module that is imported but not tested': {
    command: NODE,
    work: {
      'src/mul.mjs': MUL,
      'test/mul.test.mjs': `${NODE_TEST}import { mul } from '../src/mul.mjs'\ntest('multiplies', () => assert.equal(1, 1))\ntest('calls', () => { mul(2, 3); assert(true) })\n`,
    },
    answer: 'no',
    counts: [0, 2, 0],
    detail: /so proving nothing: multiplies .*; calls/,
  },
  'a new module imported under another name': {
    command: NODE,
    work: {
      'src/mul.mjs': 'export default (a, b) => a * b\n',
      'test/mul.test.mjs': `${NODE_TEST}import times from '../src/mul.mjs'\ntest('multiplies', () => assert.equal(times(2, 3), 6))\n`,
    },
    answer: 'yes',
    counts: [1, 0, 0],
  },
  'a function that was deleted': {
    start: { ...START, 'src/calc.mjs': ADD + MUL },
    work: {
      'src/calc.mjs': ADD,
      'test/gone.test.mjs': mulTest('assert.equal(calc.mul, undefined)'),
    },
    answer: 'yes',
    counts: [1, 0, 0],
  },
  'a file that was deleted': {
    start: { ...START, 'src/mul.mjs': MUL },
    work: {
      'test/gone.test.mjs': `${NODE_TEST}import { existsSync } from 'node:fs'\ntest('is gone', () => assert.equal(existsSync(new URL('../src/mul.mjs', import.meta.url)), false))\n`,
    },
    remove: ['src/mul.mjs'],
    answer: 'yes',
    counts: [1, 0, 0],
  },
  'one test that proves something and one that does not': {
    work: {
      'src/calc.mjs': ADD + MUL,
      'test/mul.test.mjs': `${mulTest('assert.equal(calc.mul(2, 3), 6)')}test('is there', () => assert.ok(calc))\n`,
    },
    answer: 'yes',
    counts: [1, 1, 0],
    detail: /so proving nothing: .*is there/,
  },
  'one test that proves something and two that describe what was there': {
    work: {
      'src/calc.mjs': ADD + MUL,
      'test/mul.test.mjs': `${mulTest('assert.equal(calc.mul(2, 3), 6)')}test('adds 0', () => assert.equal(calc.add(0, 0), 0))\ntest('adds 1', () => assert.equal(calc.add(1, 0), 1))\n`,
    },
    answer: 'yes',
    counts: [1, 2, 0],
    detail: /so proving nothing: .*adds 0/,
  },
  'only a comment changed besides the tests': {
    work: {
      'src/calc.mjs': `// Sums.\n${ADD}`,
      'test/more.test.mjs': mulTest('assert.equal(calc.add(2, 2), 4)'),
    },
    answer: 'no',
    counts: [0, 0, 0],
    detail: /^No test is new, changed or newly fixed\./,
  },
  'Python: only the indentation changed besides the tests': {
    start: { 'calc.py': 'def add(a, b):\n    if a:\n        a += 0\n        b += 1\n    return a + b\n' },
    work: {
      'calc.py': 'def add(a, b):\n    if a:\n        a += 0\n    b += 1\n    return a + b\n',
      'test_calc.py':
        'import unittest\nimport calc\n\nclass TestCalc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(0, 3), 4)\n',
    },
    command: PYTHON,
    answer: 'yes',
    counts: [1, 0, 0],
  },
  'a test that only moved': {
    work: { 'src/calc.mjs': ADD + MUL, 'test/sum.test.mjs': ADD_TEST },
    remove: ['test/calc.test.mjs'],
    answer: 'no',
    counts: [0, 0, 0],
    detail: /^No test is new, changed or newly fixed\./,
  },
  'only tests changed': {
    work: { 'test/mul.test.mjs': mulTest('assert(true)') },
    answer: 'no',
    counts: [0, 0, 0],
    detail: /^No test is new, changed or newly fixed\./,
  },
  'only tests and a document changed': {
    work: { 'README.md': 'more\n', 'test/mul.test.mjs': mulTest('assert(true)') },
    answer: 'no',
    counts: [0, 1, 0],
    detail: /so proving nothing: multiplies/,
  },
  'a test that fails: nothing more runs': {
    work: { 'src/calc.mjs': ADD + MUL, 'test/mul.test.mjs': mulTest('assert.equal(calc.mul(2, 3), 7)') },
    answer: undefined,
    runs: 0,
  },
  'a suite that does not load for another reason': {
    command: NODE,
    work: {
      'src/calc.mjs': ADD + MUL,
      'test/mul.test.mjs': `import { existsSync } from 'node:fs'\nif (!existsSync('.git')) throw new Error('where am I?')\n${mulTest('assert.equal(calc.mul(2, 3), 6)')}`,
    },
    answer: 'no',
    counts: [0, 0, 1],
    detail: /for another reason/,
  },
  'a test that only works in the original folder': {
    start: { 'src/calc.mjs': ADD },
    work: {
      'src/calc.mjs': ADD + MUL,
      'test/mul.test.mjs': `${NODE_TEST}import { existsSync } from 'node:fs'\ntest('place', () => assert.ok(existsSync('.git')))\n`,
    },
    answer: 'no',
    counts: [0, 0, 1],
    detail: /in a copy of the workspace it fails even with the code changes/,
  },
  'Python: an honest change': {
    start: { 'calc.py': 'def add(a, b):\n    return a + b\n' },
    work: {
      'calc.py': 'def add(a, b):\n    return a + b\n\ndef mul(a, b):\n    return a * b\n',
      'test_calc.py':
        'import unittest\nimport calc\n\nclass TestCalc(unittest.TestCase):\n    def test_mul(self):\n        self.assertEqual(calc.mul(2, 3), 6)\n\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n',
    },
    command: PYTHON,
    answer: 'yes',
    counts: [1, 1, 0],
    detail: /so proving nothing: .*TestCalc > test_add/,
  },
  'Python: a vacuous test': {
    start: { 'calc.py': 'def add(a, b):\n    return a + b\n' },
    work: {
      'calc.py': 'def add(a, b):\n    return b + a\n\ndef mul(a, b):\n    return a * b\n',
      'test_calc.py':
        'import unittest\nfrom unittest import mock\n\nclass TestCalc(unittest.TestCase):\n    def test_mul(self):\n        mul = mock.Mock(return_value=6)\n        self.assertEqual(mul(2, 3), 6)\n',
    },
    command: PYTHON,
    answer: 'no',
    counts: [0, 1, 0],
  },
  'Python: a new module': {
    start: { 'test_old.py': 'import unittest\n' },
    work: {
      'calc.py': 'def mul(a, b):\n    return a * b\n',
      'test_calc.py':
        'import unittest\nfrom calc import mul\n\nclass TestCalc(unittest.TestCase):\n    def test_mul(self):\n        self.assertEqual(mul(2, 3), 6)\n',
    },
    command: PYTHON,
    answer: 'yes',
    counts: [1, 0, 0],
    detail: /as expected\.$/,
  },
  'Python: a new module whose test proves nothing': {
    start: { 'test_old.py': 'import unittest\n' },
    work: {
      'calc.py': 'def mul(a, b):\n    return a * b\n',
      'test_calc.py':
        'import unittest\nfrom calc import mul\n\nclass TestCalc(unittest.TestCase):\n    def test_mul(self):\n        result = mul(2, 3)\n        self.assertEqual(result, result)\n',
    },
    command: PYTHON,
    answer: 'no',
    counts: [0, 1, 0],
  },
  'Python: a report that lists only failures': {
    start: { 'calc.py': 'def add(a, b):\n    return a + b\n' },
    work: {
      'calc.py': 'def add(a, b):\n    return a + b + 0\n',
      'test_calc.py':
        'import unittest\nimport calc\n\nclass TestCalc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n',
    },
    command: 'python3 -m unittest',
    answer: 'no',
    counts: [0, 1, 0],
  },
  'a report that has only counts, one of two tests notices': {
    ...counting('assert.equal(calc.mul(2, 3), 6)', 'assert.ok(true)'),
    answer: 'yes',
    counts: [1, 0, 0],
    detail: /^1 of 1 new, changed or fixed test fails without the code changes/,
  },
  'a report that has only counts, no test notices': {
    ...counting('assert.ok(true)'),
    answer: 'no',
    counts: [0, 1, 0],
  },
  'a report that has only counts, which an original test fails too': {
    ...counting('assert.equal(calc.add(1, 2), 4)'),
    start: { ...COUNTING, 'test/all.mjs': allTests('assert.equal(calc.add(1, 2), 3)') },
    work: {
      'src/calc.mjs': 'export const add = (a, b) => a + b + 1\n',
      'test/all.mjs': allTests('assert.equal(calc.add(1, 2), 4)'),
    },
    answer: 'no',
    counts: [0, 0, 1],
    detail: /an original test fails, and the report does not name it/,
  },
  'a report that has only counts, in a language that nothing reads': {
    start: { 'calc.pl': 'sub add { $_[0] + $_[1] }\n1;\n', 't/add.t': perlTest('add(1, 2) == 3') },
    work: {
      'calc.pl': 'sub add { $_[0] + $_[1] }\nsub mul { $_[0] * $_[1] }\n1;\n',
      't/mul.t': perlTest('main->can("mul") && mul(2, 3) == 6'),
    },
    command: 'prove t',
    answer: 'yes',
    counts: [1, 0, 0],
  },
  'a package in a path with spaces': {
    start: { 'packages/my calc/src/calc.mjs': ADD, 'packages/other/src/a.mjs': ADD },
    work: {
      'packages/my calc/src/calc.mjs': ADD + MUL,
      'packages/my calc/test/mul.test.mjs': mulTest('assert.equal(calc.mul(2, 3), 6)'),
    },
    cwd: 'packages/my calc',
    answer: 'yes',
    counts: [1, 0, 0],
  },
}

async function proof(row: Case, one: Project): Promise<Proof> {
  const then = await remember(one)
  one.write(row.work)
  one.remove(...(row.remove ?? []))
  const commands = [testCommand(row.command ?? ONE_NODE, row.cwd)]
  return prove(one, then, commands, { scratch: { root } })
}

describe('with and without git', () => {
  const rows = Object.entries(cases).map(([name, row]) => [name, 'git', row] as const)
  const both = ['an honest change', 'a test that asserts nothing', 'a file that was deleted', 'Python: a new module']
  const applies = [...rows, ...both.map((name) => [name, 'no git', cases[name]!] as const)]
  it.for(applies)('%s (%s)', async ([name, how, row], { skip }) => {
    skip(name.startsWith('Python') && noPython !== undefined, noPython)
    skip(row.command?.startsWith('prove') === true && noProve !== undefined, noProve)
    const one = project(row.start ?? START, { git: how === 'git' })
    const { evidence, runs } = await proof(row, one)
    expect([evidence?.answer, evidence?.detail]).toEqual([
      row.answer,
      row.answer && expect.stringMatching(row.detail ?? /./),
    ])
    if (row.counts !== undefined) {
      const [proves, vacuous, couldNotRun] = row.counts
      expect(evidence?.counts).toEqual({ proves, vacuous, couldNotRun, required: 1 })
    }
    if (row.runs !== undefined) expect(runs).toBe(row.runs)
    expect(readdirSync(root)).toEqual([])
  })
})

describe('compared with a baseline, committed or not', () => {
  const work = { 'src/calc.mjs': ADD + MUL, 'test/mul.test.mjs': mulTest('assert.equal(calc.mul(2, 3), 6)') }
  const orphan = (one: Project) => {
    const old = one.git('rev-parse', '--abbrev-ref', 'HEAD')
    one.git('checkout', '-q', '--orphan', 'other')
    one.commit('all new')
    one.git('branch', '-D', '-q', old)
  }
  const prune = (one: Project) => {
    one.git('reflog', 'expire', '--expire=now', '--all')
    one.git('gc', '-q', '--prune=now')
  }
  const ways: [string, (one: Project) => void][] = [
    ['unstaged and untracked', () => {}],
    ['staged', (one) => one.git('add', '-A')],
    ['committed', (one) => one.commit()],
    ['in a rewritten history', orphan],
    // The baseline has the source of a small project.
    ['in a history of which the old one was destroyed', (one) => [orphan(one), prune(one)]],
    ['without the repository', (one) => one.remove('.git')],
  ]
  it.each(ways)('%s', async (_, way) => {
    const one = project(START)
    const input = { workspace: one.workspace, commands: [], evidence: {}, tree: 't', at: 1 }
    const baseline = await takeBaseline(input, one.state)
    one.write(work)
    way(one)
    const { evidence } = await prove(one, baseline, [testCommand(ONE_NODE)], { scratch: { root } })
    expect([evidence?.answer, evidence?.detail]).toEqual([
      'yes',
      expect.stringMatching(/1 of 1 new, changed or fixed test fails without/),
    ])
  })

  it('in a project without a repository', async () => {
    const one = project(START, { git: false })
    const then = await remember(one)
    one.write(work)
    const { evidence } = await prove(one, then, [testCommand(ONE_NODE)], { scratch: { root } })
    expect(evidence).toMatchObject({ answer: 'yes', counts: { proves: 1, vacuous: 0, couldNotRun: 0 } })
  })
})

it('only the new and changed tests run without the change', async () => {
  const one = project({ ...START, 'test/slow.test.mjs': `${NODE_TEST}test('slow', () => {})\n` })
  const then = await remember(one)
  one.write({ 'src/calc.mjs': ADD + MUL, 'test/mul.test.mjs': mulTest('assert.equal(calc.mul(2, 3), 6)') })
  const totals: unknown[] = []
  const run: Proving['run'] = async (detected, options, workspace) => {
    const result = await runPlain(workspace, detected, options)
    totals.push(result.run?.total)
    return result
  }
  const { evidence } = await prove(one, then, [testCommand(ONE_NODE)], { run, scratch: { root } })
  expect(evidence).toMatchObject({ answer: 'yes', counts: { proves: 1 } })
  // C, the same with the change because nothing else could pass, the original tests, and all again: nothing limits this command.
  expect(totals).toEqual([1, 1, 2, 3])
})

it('work without proof can be accepted, until it changes', async () => {
  const one = project(START)
  const then = await remember(one)
  const vacuous = mulTest('assert(true)')
  one.write({ 'src/calc.mjs': ADD + MUL, 'test/mul.test.mjs': vacuous })
  const first = await prove(one, then, [testCommand(ONE_NODE)], { scratch: { root } })
  const findings = first.evidence?.findings ?? []
  expect(findings).toMatchObject([{ kind: 'unproven' }])
  const accepted = findings.map((each) => ({ ...each, by: 'user', reason: 'as asked' }))
  const second = await prove(one, then, [testCommand(ONE_NODE)], { scratch: { root }, accepted })
  expect(second.evidence).toMatchObject({ answer: 'unknown', accepted: [{ reason: 'as asked' }] })
  one.write({ 'test/mul.test.mjs': `${vacuous}// more\n` })
  const third = await prove(one, then, [testCommand(ONE_NODE)], { scratch: { root }, accepted, context: { tree: 'u' } })
  expect(third.evidence?.answer).toBe('no')
})

describe('dependencies', () => {
  it('are links to the original, but caches are not', async () => {
    const one = project({ ...START, '.gitignore': 'node_modules\n' })
    one.write({
      'node_modules/six/package.json': '{"name":"six","exports":"./six.mjs"}',
      'node_modules/six/six.mjs': 'export default 6\n',
    })
    const then = await remember(one)
    one.write({
      'src/calc.mjs': ADD + MUL,
      'test/mul.test.mjs':
        `import six from 'six'\nimport { mkdirSync } from 'node:fs'\nmkdirSync('node_modules/.cache/mine', { recursive: true })\n` +
        mulTest('assert.equal(calc.mul(2, 3), six)'),
    })
    const commands = [testCommand('rm -rf node_modules/.cache && node --test --test-reporter=tap')]
    const seen: string[][] = []
    const run: Proving['run'] = async (detected, options, workspace) => {
      rmSync(join(one.dir, 'node_modules/.cache'), { recursive: true, force: true })
      const result = await runPlain(workspace, detected, options)
      if (workspace.dir !== one.dir) seen.push(readdirSync(join(one.dir, 'node_modules')))
      return result
    }
    expect(await prove(one, then, commands, { run, scratch: { root } })).toMatchObject({ evidence: { answer: 'yes' } })
    expect(new Set(seen.flat())).toEqual(new Set(['six']))
  })

  it('from the workspace itself are reverted with it', async () => {
    const one = project({
      '.gitignore': 'node_modules\n',
      'packages/calc/package.json': '{"name":"@my/calc","exports":"./calc.mjs"}',
      'packages/calc/calc.mjs': ADD,
    })
    mkdirSync(join(one.dir, 'node_modules/@my'), { recursive: true })
    symlinkSync('../../packages/calc', join(one.dir, 'node_modules/@my/calc'))
    const then = await remember(one)
    one.write({
      'packages/calc/calc.mjs': ADD + MUL,
      'packages/app/mul.test.mjs': `${NODE_TEST}import * as calc from '@my/calc'\ntest('multiplies', () => assert.equal(calc.mul(2, 3), 6))\n`,
    })
    const { evidence } = await prove(one, then, [testCommand(ONE_NODE)], { scratch: { root } })
    expect(evidence).toMatchObject({ answer: 'yes', counts: { proves: 1, vacuous: 0 } })
  })

  it('installed in place come from the copy, not from the original path', async ({ skip }) => {
    skip(noPython !== undefined, noPython)
    const one = project({ 'src/calc/__init__.py': 'def add(a, b):\n    return a + b\n' })
    const site = join(root, 'site')
    mkdirSync(site)
    // What `pip install -e` creates, without an installation.
    writeFileSync(
      join(site, 'usercustomize.py'),
      `import sys\nsys.path.append(${JSON.stringify(join(one.dir, 'src'))})\n`,
    )
    writeFileSync(join(site, 'sitecustomize.py'), 'import usercustomize\n')
    const then = await remember(one)
    one.write({
      'src/calc/__init__.py': 'def add(a, b):\n    return a + b\n\ndef mul(a, b):\n    return a * b\n',
      'tests/test_calc.py':
        'import unittest\nimport calc\n\nclass TestCalc(unittest.TestCase):\n    def test_mul(self):\n        self.assertEqual(calc.mul(2, 3), 6)\n',
    })
    const command = testCommand(`PYTHONPATH="$PYTHONPATH:${site}" python3 -m unittest discover -v -s tests`)
    vi.stubEnv('PYTHONPATH', site)
    const { evidence } = await prove(one, then, [command], { scratch: { root: realpathSync(tmpdir()) } })
    expect(evidence).toMatchObject({ answer: 'yes', counts: { proves: 1, vacuous: 0 } })
  })
})

it('does not run without a claim', async () => {
  const one = project(START)
  const then = await remember(one)
  one.write({ 'src/calc.mjs': ADD + MUL, 'test/mul.test.mjs': mulTest('assert(true)') })
  const { evidence, runs } = await prove(one, then, [testCommand(ONE_NODE)], { context: { claim: false } })
  expect([evidence, runs]).toEqual([undefined, 0])
})

describe('nothing is proven', () => {
  const work = { 'src/calc.mjs': ADD + MUL, 'test/mul.test.mjs': mulTest('assert.equal(calc.mul(2, 3), 6)') }
  const rows: [name: string, more: Proving, detail: RegExp][] = [
    [
      'when time runs out',
      {
        run: (detected, options, workspace) =>
          runPlain(workspace, { ...detected, command: `sleep 60; ${NODE}` }, { ...options, deadlineMs: 500 }),
      },
      /did not finish in time/,
    ],
    ['when the tree is too large to copy', { scratch: { limits: { totalBytes: 10 } } }, /too large/],
  ]
  it.each(rows)('%s', async (_name, more, detail) => {
    const one = project(START)
    const then = await remember(one)
    one.write(work)
    const { evidence } = await prove(one, then, [testCommand(ONE_NODE)], {
      ...more,
      scratch: { root, ...more.scratch },
    })
    expect(evidence).toMatchObject({ answer: 'no', detail: expect.stringMatching(detail) })
    expect(readdirSync(root)).toEqual([])
  })
  it('when the old content of a changed source is lost', async () => {
    const one = project(START)
    const then = baselineOf({ ...START, 'src/calc.mjs': undefined })
    one.write(work)
    const { evidence } = await prove(one, then, [testCommand(ONE_NODE)], { scratch: { root } })
    expect(evidence).toMatchObject({
      answer: 'no',
      detail: expect.stringMatching(/[Cc]ould not be reverted: src\/calc\.mjs/),
    })
  })
})

describe('tests that do more than test', () => {
  it('leave nothing on disk, not even a folder they locked', async () => {
    const one = project(START)
    const then = await remember(one)
    const outside = join(root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'kept.txt'), 'kept')
    const scratch = join(root, 'scratch')
    mkdirSync(scratch)
    one.write({
      'src/calc.mjs': ADD + MUL,
      'test/mul.test.mjs':
        `import fs from 'node:fs'\nif (process.cwd().includes('exitgate-scratch-')) {\n` +
        `fs.writeFileSync('../escaped.txt', 'x'); fs.writeFileSync('src/calc.mjs.bak', 'x'); fs.rmSync('README.md')\n` +
        `fs.symlinkSync(${JSON.stringify(outside)}, 'way-out'); fs.mkdirSync('closed/in', { recursive: true })\n` +
        `fs.writeFileSync('closed/in/a', 'x'); fs.chmodSync('closed', 0o500)\n}\n` +
        mulTest('assert.equal(calc.mul(2, 3), 6)'),
    })
    const before = readdirSync(one.dir, { recursive: true })
      .filter((path) => !String(path).startsWith('.git'))
      .sort()
    const { evidence } = await prove(one, then, [testCommand(ONE_NODE)], { scratch: { root: scratch } })
    expect(evidence).toMatchObject({ answer: 'yes' })
    expect(readdirSync(scratch)).toEqual([])
    expect(readdirSync(outside)).toEqual(['kept.txt'])
    expect(readdirSync(join(one.dir, '..')).sort()).toEqual(['work space'])
    const after = readdirSync(one.dir, { recursive: true })
      .filter((path) => !String(path).startsWith('.git'))
      .sort()
    expect(after).toEqual(before)
    chmodSync(outside, 0o700)
  })
})
