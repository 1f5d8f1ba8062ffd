import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import type { CollectedTests } from '../../src/evidence/checks/definition.ts'
import { collectTests, type TestsOptions } from '../../src/evidence/checks/tests.ts'
import { openFlakeHistory } from '../../src/evidence/flakes.ts'
import { collectGit } from '../../src/evidence/git.ts'
import { runTestCommand } from '../../src/evidence/runners/run.ts'
import type { CheckContext, Detected } from '../../src/evidence/types.ts'
import { type Project, project } from './git-project.ts'
import { ONE_NODE } from './red-proof/proving.ts'

const command: Detected = {
  kind: 'test',
  command: ONE_NODE,
  cwd: '',
  why: 'said so',
}

const run: TestsOptions['run'] = (detected, options, workspace) => runTestCommand(workspace, detected, options)

const head = "import test from 'node:test'\nimport assert from 'node:assert'\n"
const leap = "test('knows leap days', () => {\n  assert.equal(days(2024), 366)\n  assert.equal(days(2000), 366)\n})\n"
const plainYear = "test('knows plain years', () => {\n  assert.equal(days(2023), 365)\n})\n"
const dates = `${head}import { days } from '../src/dates.js'\n`
const sums = `${head}import { sum } from '../src/sum.js'\ntest('sums two', () => {\n  assert.equal(sum(1, 2), 3)\n})\n`

/** One failing test about dates, a passing one, and passing sums. */
const start: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}\n',
  'src/dates.js': 'export const days = () => 365\n',
  'src/sum.js': 'export const sum = (a, b) => a + b\n',
  'tests/dates.test.js': dates + leap + plainYear,
  'tests/sum.test.js': sums,
}
/** The requested work: a multiplication with a test. */
const multiplied: Readonly<Record<string, string>> = {
  'src/mul.js': 'export const mul = (a, b) => a * b\n',
  'tests/mul.test.js': `${head}import { mul } from '../src/mul.js'\ntest('multiplies two', () => {\n  assert.equal(mul(2, 3), 6)\n})\n`,
}
const multiply = (p: Project) => p.write(multiplied)

/** Before the work, every row has the same results. Paths are relative to the workspace, so one run is enough. */
const looked = new Map<string, Promise<CollectedTests>>()
const once = (files: Readonly<Record<string, string>>, look: () => Promise<CollectedTests>) => {
  const key = JSON.stringify(files)
  const found = looked.get(key) ?? look()
  looked.set(key, found)
  return found
}

async function begun(files: Readonly<Record<string, string>> = start, options: Partial<TestsOptions> = {}) {
  const p = project(files)
  const all: TestsOptions = { commands: [command], run, moreRuns: 1, ...options }
  const look = async (claim: boolean): Promise<CheckContext> => ({
    workspace: p.workspace,
    claim,
    tree: (await collectGit(p.dir)).tree,
    taskTexts: [],
    deadlineMs: 60_000,
  })
  const first = await once(files, async () => collectTests(all, await look(false)))
  const tests = first.run === undefined ? {} : { tests: first.run }
  await takeBaseline({ workspace: p.workspace, commands: [command], evidence: {}, tree: '', at: 1, ...tests }, p.state)
  const claimed = async () => {
    const baseline = openBaseline(p.state)
    const { evidence } = await collectTests(all, {
      ...(await look(true)),
      ...(baseline !== undefined && { baseline }),
    })
    return { tests: evidence[0]!, flakes: evidence[1] }
  }
  return { p, first: first.evidence[0]!, claimed }
}

type Row = [name: string, work: (p: Project) => void, answer: string, said: RegExp, runs: number]

const rows: readonly Row[] = [
  [
    'the work is done, a test that failed before is accepted',
    multiply,
    'yes',
    /Failing, but accepted: "knows leap days" \(failed before the run, accepted\)/,
    2,
  ],
  [
    'the test that failed before is fixed',
    (p) => p.write({ 'src/dates.js': 'export const days = (y) => (y % 4 === 0 ? 366 : 365)\n' }),
    'yes',
    /Fixed: "knows leap days"/,
    2,
  ],
  [
    'work that breaks a passing test',
    (p) => [multiply(p), p.write({ 'src/sum.js': 'export const sum = (a, b) => a - b\n' })],
    'no',
    /"sums two" \(did not fail before the run\)/,
    1,
  ],
  [
    'the failing test deleted',
    (p) => [multiply(p), p.write({ 'tests/dates.test.js': dates + plainYear })],
    'no',
    /Missing: "knows leap days" \(failed before the run, not reported now\)/,
    1,
  ],
  [
    'the file of the failing test deleted',
    (p) => [multiply(p), p.remove('tests/dates.test.js')],
    'no',
    /Missing: .*"knows leap days"/,
    1,
  ],
  [
    'the file of the failing test emptied',
    (p) => [multiply(p), p.write({ 'tests/dates.test.js': '' })],
    'no',
    /Missing: .*"knows leap days"/,
    1,
  ],
  [
    'the failing test skipped',
    (p) => [multiply(p), p.write({ 'tests/dates.test.js': dates + leap.replace('test(', 'test.skip(') + plainYear })],
    'no',
    /"knows leap days" \(failed before the run, skipped now\)/,
    1,
  ],
  [
    'the failing test renamed, and what it expects changed',
    (p) =>
      p.write({
        'tests/dates.test.js':
          dates + leap.replace('knows leap days', 'knows leap years').replaceAll('366', '365') + plainYear,
      }),
    'no',
    /Missing: "knows leap days"/,
    1,
  ],
  [
    'the failing test renamed and fixed',
    (p) =>
      p.write({
        'src/dates.js': 'export const days = (y) => (y % 4 === 0 ? 366 : 365)\n',
        'tests/dates.test.js': dates + leap.replace('knows leap days', 'leap days are known') + plainYear,
      }),
    'yes',
    /Fixed: "leap days are known"/,
    2,
  ],
  [
    'a passing test renamed',
    (p) => [multiply(p), p.write({ 'tests/sum.test.js': sums.replace('sums two', 'adds up') })],
    'yes',
    /Failing, but accepted: "knows leap days"/,
    2,
  ],
  [
    'a passing test moved to another file',
    (p) => [multiply(p), renameSync(join(p.dir, 'tests/sum.test.js'), join(p.dir, 'tests/add.test.js'))],
    'yes',
    /Failing, but accepted/,
    2,
  ],
  ['all tests gone', (p) => p.remove('tests'), 'unknown', /no test|No test/, 1],
  [
    'the repository removed',
    (p) => [multiply(p), p.remove('.git')],
    'yes',
    /Failing, but accepted: "knows leap days"/,
    2,
  ],
  [
    'the repository removed, and a failing test with it',
    (p) => [multiply(p), p.remove('.git'), p.write({ 'tests/dates.test.js': dates + plainYear })],
    'no',
    /Missing: "knows leap days"/,
    1,
  ],
  [
    'history rewritten',
    (p) => [
      multiply(p),
      p.git('checkout', '-q', '--orphan', 'x'),
      p.commit(),
      p.git('branch', '-D', 'master'),
      p.git('reflog', 'expire', '--expire=now', '--all'),
      p.git('gc', '-q', '--prune=now'),
    ],
    'yes',
    /Failing, but accepted: "knows leap days"/,
    2,
  ],
  [
    'all times touched',
    (p) => [multiply(p), ...Object.keys(start).map((path) => utimesSync(join(p.dir, path), 1, 1))],
    'yes',
    /Failing, but accepted: "knows leap days"/,
    2,
  ],
]

describe('a real project', () => {
  it.each(rows)('%s', async (_name, work, answer, said, runs) => {
    const { p, first, claimed } = await begun(start, { acceptFailing: true })
    expect([first.answer, first.counts?.failed, first.counts?.total]).toEqual(['no', 1, 3])
    work(p)
    const { tests } = await claimed()
    expect(tests.detail).toMatch(said)
    expect([tests.answer, tests.counts?.runs]).toEqual([answer, runs])
  })

  it('the tests exit early', async () => {
    const runner: Detected = { ...command, command: 'node --test', runner: 'node' }
    const { p, claimed } = await begun(start, { acceptFailing: true, commands: [runner] })
    multiply(p)
    p.write({ 'tests/dates.test.js': `${dates}process.exit(0)\n${leap}${plainYear}` })
    const { tests } = await claimed()
    expect(tests.detail).toMatch(/Missing: .*"knows leap days"/)
    expect([tests.answer, tests.counts?.runs]).toEqual(['no', 1])
  })

  it('the file of the failing test replaced by a dangling link', async () => {
    const { p, claimed } = await begun()
    multiply(p)
    p.remove('tests/dates.test.js')
    symlinkSync('nowhere', join(p.dir, 'tests/dates.test.js'))
    // Some versions of the runner give up, others report what is left; neither is a pass.
    expect((await claimed()).tests.answer).toMatch(/^(?:no|unknown)$/)
  })

  it('a test that failed before must pass unless the user accepts it', async () => {
    const { p, claimed } = await begun()
    multiply(p)
    expect((await claimed()).tests).toMatchObject({
      answer: 'no',
      detail: expect.stringContaining('Failing: "knows leap days" (already failed before the run).'),
      named: { failing: ['knows leap days'], fixed: [] },
    })
  })

  it('a failing test is accepted by name', async () => {
    const { p, claimed } = await begun(start, { accept: ['tests/dates.test.js > knows leap days'] })
    multiply(p)
    expect((await claimed()).tests).toMatchObject({
      answer: 'yes',
      detail: expect.stringContaining('Failing, but accepted: "knows leap days" (accepted by name).'),
      named: { failing: [], accepted: ['knows leap days'] },
    })
  })
})

/** Fails every second time it runs; the counter is outside the workspace. */
const flaky = (counter: string) =>
  `${head}import { appendFileSync, readFileSync } from 'node:fs'\ntest('tosses a coin', () => {\n  appendFileSync(${JSON.stringify(counter)}, 'x')\n  assert.notEqual(readFileSync(${JSON.stringify(counter)}, 'utf8').length % 2, 0)\n})\n`

describe('a flaky test', () => {
  const quarantine = [{ test: 'tosses a coin', until: '2031-01-01', reason: 'known to toss' }]
  const tossing = async (options: Partial<TestsOptions> = {}) => {
    const begin = await begun({ ...start, 'tests/dates.test.js': dates + plainYear })
    const { p } = begin
    const counter = join(p.dir, '../counter')
    p.write({ 'tests/coin.test.js': flaky(counter) })
    const history = openFlakeHistory(p.state)
    const now = () => Date.parse('2030-01-01')
    const all: TestsOptions = { commands: [command], run, moreRuns: 1, history, now, ...options }
    const baseline = openBaseline(p.state)!
    const claimed = async (claim = true) => {
      const context = {
        workspace: p.workspace,
        baseline,
        claim,
        tree: (await collectGit(p.dir)).tree,
        taskTexts: [],
        deadlineMs: 60_000,
      }
      const { evidence } = await collectTests(all, context)
      return { tests: evidence[0]!, flakes: evidence[1] }
    }
    return { claimed, history, counter }
  }

  it('is named, and the answer is unknown', async () => {
    const { claimed, history } = await tossing()
    const { tests, flakes } = await claimed()
    expect([tests.answer, tests.counts?.runs, tests.counts?.greenRuns]).toEqual(['unknown', 2, 0])
    expect(flakes).toMatchObject({
      check: 'flakes',
      answer: 'unknown',
      detail: expect.stringContaining('"tosses a coin" (passed, then failed)'),
    })
    expect(history.rateOf('tosses a coin')).toMatchObject({ flaked: 1, runs: 2 })
  })

  it('that failed on this tree before does not pass by running again', async () => {
    const { claimed, counter } = await tossing()
    writeFileSync(counter, 'x')
    expect((await claimed(false)).tests.answer).toBe('no')
    writeFileSync(counter, '')
    const { tests, flakes } = await claimed(false)
    expect([tests.answer, flakes?.detail]).toEqual([
      'unknown',
      expect.stringContaining('"tosses a coin" (failed earlier, then passed'),
    ])
  })

  it('may be in quarantine for a while', async () => {
    const { claimed } = await tossing({ quarantine })
    const { tests, flakes } = await claimed()
    expect([tests.answer, flakes]).toEqual(['yes', undefined])
    expect(tests.detail).toContain('In quarantine until 2031-01-01: "tosses a coin" (known to toss).')
  })

  it('counts again when the quarantine is over', async () => {
    const { claimed } = await tossing({ quarantine, now: () => Date.parse('2032-01-01') })
    const { tests } = await claimed()
    expect([tests.answer, tests.detail]).toEqual([
      'unknown',
      expect.stringContaining('The quarantine of "tosses a coin" ended on 2031-01-01.'),
    ])
  })
})

describe('a tree that changes while the tests run', () => {
  const meddling = (path: string, text: string) =>
    `${head}import { mkdirSync, writeFileSync } from 'node:fs'\ntest('meddles', () => {\n  mkdirSync(new URL('../${path.replace(/[^/]*$/, '')}', import.meta.url), { recursive: true })\n  writeFileSync(new URL('../${path}', import.meta.url), ${JSON.stringify(text)})\n})\n`
  const changes: [name: string, path: string, text: string, answer: string, said: RegExp, runs: number][] = [
    [
      'a source',
      'src/sum.js',
      'export const sum = (a, b) => b + a\n',
      'unknown',
      /Files changed while the tests ran: src\/sum\.js\./,
      1,
    ],
    ['a new source', 'src/more.js', 'export {}\n', 'unknown', /Files changed while the tests ran: src\/more\.js\./, 1],
    ['a source with the content it has', 'src/sum.js', start['src/sum.js']!, 'yes', /4 of 4/, 2],
    ['a report', 'coverage/report.js', 'x', 'yes', /4 of 4/, 2],
    ['a log', 'run.log', 'x', 'yes', /4 of 4/, 2],
  ]
  it.each(changes)('%s', async (_name, path, text, answer, said, runs) => {
    const { p, claimed } = await begun({
      ...start,
      'src/dates.js': 'export const days = (y) => (y % 4 === 0 ? 366 : 365)\n',
    })
    p.write({ 'tests/meddle.test.js': meddling(path, text) })
    const { tests } = await claimed()
    expect(tests.detail).toMatch(said)
    expect([tests.answer, tests.counts?.runs, tests.counts?.greenRuns]).toEqual([
      answer,
      runs,
      answer === 'yes' ? runs : 0,
    ])
  })
})

describe('a baseline that the agent can reach', () => {
  it('that was damaged is an error', async () => {
    const { p, claimed } = await begun()
    multiply(p)
    rmSync(join(p.state, 'baseline/baseline.json'))
    mkdirSync(join(p.state, 'baseline/baseline.json'))
    await expect(claimed()).rejects.toThrow(/The baseline in .* cannot be read/)
  })
})
