import { describe, expect, it } from 'vitest'
import type { WithoutPlan } from '../../packages/exitgate/src/checks/without.ts'
import type { TestCase, TestRun, TestState } from '../../packages/test-output/src/types.ts'
import { collectTests, type TestsOptions, testsCheck } from '../../src/evidence/checks/tests.ts'
import type { Proof } from '../../src/evidence/experiments.ts'
import type { FlakeHistory, FlakeRecord, OnTree } from '../../src/evidence/flakes.ts'
import type { RunTests } from '../../src/evidence/test-results/round.ts'
import type { Baseline, CheckContext, Detected, TestResult, Workspace } from '../../src/evidence/types.ts'
import { findUnsteady } from '../../src/evidence/unsteady.ts'

const STATES: Readonly<Record<string, TestState>> = { f: 'failed', p: 'passed', s: 'skipped' }
/** `a:p b:f` is a report of two tests; `a:r` passed on a retry. */
function report(text: string, more: Partial<TestRun> = {}): TestRun {
  const tests = text
    .split(' ')
    .filter(Boolean)
    .map((word): TestCase => {
      const [name = '', letter = ''] = word.split(':')
      return letter === 'r' ? { name, state: 'passed', flaky: true } : { name, state: STATES[letter]! }
    })
  const count = (state: TestState) => tests.filter((test) => test.state === state).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  const ok = failed > 0 ? false : passed > 0 ? true : null
  return { passed, failed, skipped, total: tests.length, ok, framework: 'x', tests, ...more }
}

/** How a command ended: with the code that matches its report by default. */
function result(run: TestRun | string | undefined, ran: Partial<TestResult['ran']> = {}): TestResult {
  const read = typeof run === 'string' ? report(run) : run
  const code = read === undefined || read.ok === true ? 0 : 1
  return {
    ran: { code, ended: 'exit', output: '', cut: 0, ms: 1, ...ran },
    ...(read !== undefined && { run: read }),
    source: read === undefined ? 'none' : 'report',
  }
}

const command: Detected = { kind: 'test', command: 'npm test', cwd: '', why: 'package.json says so' }
const workspace: Workspace = {
  dir: '/nonexistent/workspace',
  read: () => undefined,
  list: async () => [],
  run: () => Promise.reject(new Error('nothing is run here')),
  git: async () => undefined,
}
const baselineOf = (tests: TestRun | undefined): Baseline => ({
  at: 0,
  tree: 't0',
  commands: [command],
  ...(tests !== undefined && { tests }),
  evidence: {},
  files: {},
  read: () => undefined,
})

interface Row {
  /** The result of each run, in order; one run too many fails the test. */
  readonly results: readonly TestResult[]
  readonly claim?: boolean
  readonly before?: TestRun | string
  readonly options?: Partial<TestsOptions>
  readonly task?: readonly string[]
  readonly unsteady?: Baseline['unsteady']
}

async function collected(row: Row) {
  const left = [...row.results]
  const calls: string[] = []
  const run: TestsOptions['run'] = async (detected) => {
    calls.push(detected.command)
    const next = left.shift()
    if (next === undefined) throw new Error('one run too many')
    return next
  }
  const before = typeof row.before === 'string' ? report(row.before) : row.before
  const context: CheckContext = {
    workspace,
    ...(before !== undefined && {
      baseline: { ...baselineOf(before), ...(row.unsteady && { unsteady: row.unsteady }) },
    }),
    claim: row.claim ?? true,
    tree: 't1',
    taskTexts: row.task ?? [],
    deadlineMs: 1000,
  }
  const { evidence, run: kept, unsteady } = await collectTests({ commands: [command], run, ...row.options }, context)
  const [tests, flakes] = evidence
  return { tests: tests!, flakes, calls, kept, unsteady }
}

const green = result('a:p b:p')
/** Further complete runs, as `evidence.confirmRuns` asks for. */
const again = (moreRuns: number): Partial<TestsOptions> => ({ moreRuns })

describe('the answer', () => {
  const rows: [name: string, row: Row, answer: string, runs: number, said: RegExp][] = [
    ['passing, without a claim', { results: [green], claim: false }, 'yes', 1, /^2 of 2 tests pass\.$/],
    ['passing, on a claim', { results: [green] }, 'yes', 1, /^2 of 2 tests pass\.$/],
    ['passing, and another run is wanted', { results: [green, green], options: again(1) }, 'yes', 2, /last of 2 runs/],
    ['passing four times', { results: [green, green, green, green], options: again(3) }, 'yes', 4, /last of 4/],
    ['passing once without a claim', { results: [green], claim: false, options: again(3) }, 'yes', 1, /2 of 2/],
    ['failing', { results: [result('a:f b:p')] }, 'no', 1, /Failing: "a" \(no results from before the run\)/],
    [
      'failing is final, whatever else is wanted',
      { results: [result('a:f b:p')], options: again(3) },
      'no',
      1,
      /Failing: "a"/,
    ],
    ['failing, without a claim', { results: [result('a:f b:p')], claim: false }, 'no', 1, /Failing: "a"/],
    [
      'a new failure',
      { results: [result('a:f b:p')], before: 'a:p b:p' },
      'no',
      1,
      /"a" \(did not fail before the run\)/,
    ],
    [
      'the exit code alone',
      { results: [result(undefined)] },
      'unknown',
      1,
      /exited with 0, but its output shows no test results/,
    ],
    ['a failing exit code alone', { results: [result(undefined, { code: 1 })] }, 'unknown', 1, /exited with 1/],
    [
      'passing, but the command failed',
      { results: [result('a:p', { code: 1 })] },
      'no',
      1,
      /exited with 1, but no test is reported as failed/,
    ],
    [
      'failing, but the command is fine',
      { results: [result('a:f b:p', { code: 0 })] },
      'no',
      1,
      /exited with 0, but tests failed.*Failing: "a"/,
    ],
    ['no tests', { results: [result(report(''))] }, 'unknown', 1, /no test passed/],
    ['only skipped tests', { results: [result('a:s b:s')] }, 'unknown', 1, /no test passed/],
    [
      'a report that does not tell',
      { results: [result(report('a:p', { ok: null }), { code: 0 })] },
      'unknown',
      1,
      /does not show/,
    ],
    [
      'a file that did not load',
      { results: [result(report('a:p', { ok: false, suitesFailed: 1, problems: ['x.test.js did not load.'] }))] },
      'no',
      1,
      /^x\.test\.js did not load\./,
    ],
    [
      'an error outside the tests',
      { results: [result(report('a:p', { ok: false, problems: ['1 unhandled error.'] }))] },
      'no',
      1,
      /1 unhandled error/,
    ],
    [
      'output too long to be kept',
      { results: [{ ...result(report('a:p', { ok: false }), { cut: 9 }), source: 'output' }] },
      'unknown',
      1,
      /too long/,
    ],
    [
      'the deadline',
      { results: [result(undefined, { code: null, ended: 'deadline' })] },
      'unknown',
      1,
      /did not finish within 1 s/,
    ],
    [
      'the deadline, with failures already',
      { results: [result('a:f', { code: null, ended: 'deadline' })] },
      'no',
      1,
      /did not finish/,
    ],
    ['killed', { results: [result('a:p', { code: null })] }, 'unknown', 1, /killed by a signal/],
    [
      'not started',
      { results: [result(undefined, { code: null, ended: 'not-started', problem: 'no such folder' })] },
      'unknown',
      1,
      /no such folder/,
    ],
    ['not found', { results: [result(undefined, { code: 127 })] }, 'unknown', 1, /could not be found/],
    [
      'stopped',
      { results: [result('a:p', { code: null, ended: 'aborted' })] },
      'unknown',
      1,
      /stopped before it finished/,
    ],
    [
      'more failures than names',
      { results: [result(report('a:p', { failed: 2, ok: false, total: 3 }))] },
      'no',
      1,
      /The report does not name 2 failing tests/,
    ],
    [
      'a test is gone',
      { results: [result('b:p')], before: 'a:p b:p' },
      'no',
      1,
      /Missing: "a" \(passed before the run, not reported now\)/,
    ],
    [
      'a failing test is gone',
      { results: [result('b:p')], before: 'a:f b:p' },
      'no',
      1,
      /Missing: "a" \(failed before/,
    ],
    [
      'a test is skipped now',
      { results: [result('a:s b:p')], before: 'a:f b:p' },
      'no',
      1,
      /Missing: "a" \(failed before the run, skipped now\)/,
    ],
    [
      'a skipped test is gone',
      { results: [result('b:p')], before: 'a:s b:p' },
      'yes',
      1,
      /Gone, but not required: "a"/,
    ],
    [
      'a test is gone, and the user accepts it',
      { results: [result('b:p')], before: 'a:p b:p', options: { accept: ['a'] } },
      'yes',
      1,
      /Gone, but not required: "a" \(accepted by name\)/,
    ],
    [
      'fewer tests, without names',
      {
        results: [result(report('', { passed: 7, total: 7, ok: true, tests: [] }))],
        before: report('', { passed: 9, total: 9, tests: [] }),
      },
      'no',
      1,
      /Missing: "2 tests that the report does not name" \(ran before, gone now\)/,
    ],
    ['a test is fixed', { results: [result('a:p b:p')], before: 'a:f b:p' }, 'yes', 1, /Fixed: "a"/],
    [
      'a test that already failed before the run',
      { results: [result('a:f b:p c:p')], before: 'a:f b:p' },
      'no',
      1,
      /Failing: "a" \(already failed before the run\)/,
    ],
    [
      'a test that already failed, and the user accepts what did',
      { results: [result('a:f b:p')], before: 'a:f b:p', options: { acceptFailing: true } },
      'yes',
      1,
      /Failing, but accepted: "a" \(failed before the run, accepted\)/,
    ],
    [
      'a new failure, and the user accepts what failed before',
      { results: [result('a:f b:f c:p')], before: 'a:f b:p c:p', options: { acceptFailing: true } },
      'no',
      1,
      /Failing: "b" \(did not fail before the run\)\. Failing, but accepted: "a"/,
    ],
    [
      'a failure that the user accepts',
      { results: [result('a:f b:p')], options: { accept: ['a'] } },
      'yes',
      1,
      /Failing, but accepted: "a" \(accepted by name\)/,
    ],
    [
      'accepted, but the exit code is masked',
      { results: [result('a:f b:p', { code: 0 })], options: { accept: ['a'] } },
      'unknown',
      1,
      /but tests failed/,
    ],
    [
      'accepted, but a file did not load',
      { results: [result(report('a:f b:p', { suitesFailed: 1 }))], options: { accept: ['a'] } },
      'no',
      1,
      /could not be loaded/,
    ],
    [
      'accepted, and nothing else passes',
      { results: [result('a:f')], options: { accept: ['a'] } },
      'unknown',
      1,
      /Failing, but accepted: "a"/,
    ],
  ]
  it.each(rows)('%s', async (_name, row, answer, runs, said) => {
    const { tests, flakes, calls } = await collected(row)
    expect([tests.answer, calls.length, flakes]).toEqual([answer, runs, undefined])
    expect(tests.detail).toMatch(said)
    expect(tests.counts?.runs).toBe(runs)
    expect(tests.counts?.greenRuns).toBe(answer === 'yes' ? runs : 0)
    expect([tests.check, tests.tree]).toEqual(['tests', 't1'])
  })

  it('without a command is unknown, and runs nothing', async () => {
    const { tests, calls } = await collected({ results: [], options: { commands: [] } })
    expect([tests.answer, tests.counts, calls]).toEqual(['unknown', undefined, []])
  })

  it('counts everything', async () => {
    const { tests, kept } = await collected({ results: [result('a:f b:p c:s d:p')], before: 'a:p b:f c:s e:p' })
    expect(tests.counts).toEqual({
      total: 4,
      passed: 2,
      failed: 1,
      skipped: 1,
      excused: 0,
      missing: 1,
      fixed: 1,
      runs: 1,
      greenRuns: 0,
    })
    expect(kept?.total).toBe(4)
  })

  it('runs nothing after an interrupt', async () => {
    const controller = new AbortController()
    controller.abort()
    const check = testsCheck({ commands: [command], run: () => Promise.reject(new Error('no run')) })
    const context = { workspace, claim: true, tree: '', taskTexts: [], deadlineMs: 1, signal: controller.signal }
    expect(await check.collect(context)).toMatchObject(
      [{ check: 'tests', answer: 'unknown', detail: /interrupted/ }].map((e) => ({
        ...e,
        detail: expect.stringMatching(e.detail),
      })),
    )
  })

  it('shows names on one line, shortened, without control characters', async () => {
    const name = `x\n\u001b[31m\u202e${'y'.repeat(500)}`
    const run = report('', { tests: [{ name, state: 'failed' }], failed: 1, total: 1, ok: false })
    const { tests } = await collected({ results: [result(run)] })
    expect(tests.detail).not.toMatch(/[\n\u001b\u202e]/)
    expect(tests.detail.length).toBeLessThan(300)
  })
})

describe('several commands', () => {
  const other: Detected = { ...command, command: 'pytest', cwd: 'py' }
  const commands = [command, other]

  it('all must pass, each as often as the others', async () => {
    const { tests, calls } = await collected({
      results: [green, result('c:p'), green, result('c:p')],
      options: { commands, ...again(1) },
    })
    expect([tests.answer, calls]).toEqual(['yes', ['npm test', 'pytest', 'npm test', 'pytest']])
    expect(tests.counts).toMatchObject({ total: 3, passed: 3, runs: 2, greenRuns: 2 })
  })
  it('one that cannot be read makes the answer unknown', async () => {
    const { tests, calls } = await collected({ results: [green, result(undefined)], options: { commands } })
    expect([tests.answer, calls.length]).toEqual(['unknown', 2])
    expect(tests.detail).toMatch(/^pytest: The test command exited with 0/)
  })
  it('one failure is enough', async () => {
    const { tests, calls } = await collected({ results: [result('a:f'), result('c:p')], options: { commands } })
    expect([tests.answer, calls.length]).toEqual(['no', 2])
  })
  it('file paths are relative to the workspace', async () => {
    const run = report('', { tests: [{ name: 'c', state: 'passed', file: './t/c.py' }], passed: 1, total: 1, ok: true })
    const { kept } = await collected({ results: [green, result(run)], claim: false, options: { commands } })
    expect(kept?.tests?.at(-1)).toEqual({ name: 'c', state: 'passed', file: 'py/t/c.py' })
  })
})

/** A history in memory. */
function history(on: OnTree = { green: 0, failed: [] }): FlakeHistory & { told: FlakeRecord[] } {
  const told: FlakeRecord[] = []
  return {
    told,
    problems: [],
    rateOf: (name) => (name === 'a' ? { flaked: 2, runs: 9 } : undefined),
    onTree: () => ({
      ...on,
      green: on.green + told.flatMap(({ rounds }) => rounds).filter((round) => round.green).length,
    }),
    record: (record) => told.push(record),
  }
}

describe('flakes', () => {
  const until = '2030-01-01'
  const now = () => Date.parse('2029-12-31T00:00:00Z')
  const later = () => Date.parse('2030-01-02T00:00:00Z')
  const quarantine = [{ test: 'a', until, reason: 'the network' }]
  const rows: [name: string, row: Row, answer: string, flakes: RegExp | undefined, said: RegExp][] = [
    [
      'passing, then failing',
      { results: [green, result('a:f b:p')], options: again(1) },
      'unknown',
      /"a" \(passed, then failed\)/,
      /Different results for the same code: "a"/,
    ],
    [
      'passing twice, then failing',
      { results: [green, green, result('a:f b:p')], options: again(2) },
      'unknown',
      /"a" \(passed, then passed, then failed\)/,
      /"a"/,
    ],
    [
      'passing, then a test is gone',
      { results: [green, result('b:p')], before: 'a:p b:p', options: again(1) },
      'unknown',
      /"a" \(passed, then absent\)/,
      /"a"/,
    ],
    [
      'passing, then a test is skipped',
      { results: [green, result('a:s b:p')], options: again(1) },
      'unknown',
      /"a" \(passed, then skipped\)/,
      /"a"/,
    ],
    [
      'passing, then a crash',
      { results: [green, result(undefined, { code: 134 })], options: again(1) },
      'unknown',
      undefined,
      /exited with 134/,
    ],
    [
      'passing, then failing without names',
      {
        results: [
          result(report('', { passed: 3, total: 3, ok: true, tests: [] })),
          result(report('', { passed: 2, failed: 1, total: 3, ok: false, tests: [] })),
        ],
        options: again(1),
      },
      'unknown',
      /3 passed, 0 failed, 0 skipped; then 2 passed, 1 failed/,
      /does not name/,
    ],
    [
      'passed at the second try of the runner',
      { results: [result('a:r b:p')] },
      'unknown',
      /"a" \(failed, then passed\)/,
      /"a"/,
    ],
    [
      'failing before, then flaky in another test',
      { results: [result('a:f b:p'), result('a:f b:f')], options: { accept: ['a'], ...again(1) } },
      'unknown',
      /"b" \(passed, then failed\)/,
      /Failing, but accepted: "a"/,
    ],
    [
      'passing, then failing: in quarantine',
      { results: [green, result('a:f b:p')], options: { quarantine, now, ...again(1) } },
      'yes',
      undefined,
      /In quarantine until 2030-01-01: "a" \(the network\)\./,
    ],
    [
      'failing at once: in quarantine',
      { results: [result('a:f b:p'), result('a:f b:p')], options: { quarantine, now, ...again(1) } },
      'yes',
      undefined,
      /Failing, but accepted: "a" \(in quarantine\).*In quarantine until/,
    ],
    [
      'gone: in quarantine all the same',
      { results: [result('b:p')], before: 'a:p b:p', options: { quarantine, now } },
      'no',
      undefined,
      /Missing: "a"/,
    ],
    [
      'passing, then failing: quarantine at its end',
      { results: [green, result('a:f b:p')], options: { quarantine, now: later, ...again(1) } },
      'unknown',
      /"a"/,
      /The quarantine of "a" ended on 2030-01-01\./,
    ],
    [
      'failing: quarantine at its end',
      { results: [result('a:f b:p')], options: { quarantine, now: later } },
      'no',
      undefined,
      /ended on 2030-01-01/,
    ],
    [
      'quarantine without a date',
      { results: [result('a:f b:p')], options: { quarantine: [{ test: 'a', until: 'soon', reason: 'r' }], now } },
      'no',
      undefined,
      /no valid end date/,
    ],
    [
      'another test in quarantine',
      { results: [result('a:p b:f')], options: { quarantine, now } },
      'no',
      undefined,
      /Failing: "b"/,
    ],
  ]
  it.each(rows)('%s', async (_name, row, answer, named, said) => {
    const { tests, flakes } = await collected(row)
    expect(tests.answer).toBe(answer)
    expect(tests.detail).toMatch(said)
    if (named === undefined) expect(flakes).toBeUndefined()
    else
      expect(flakes).toMatchObject({
        check: 'flakes',
        answer: 'unknown',
        detail: expect.stringMatching(named),
        tree: 't1',
      })
    expect(tests.counts?.greenRuns).toBe(answer === 'yes' ? 2 : 0)
  })

  it('are remembered, and their rate is reported', async () => {
    const remembered = history()
    const { flakes } = await collected({
      results: [green, result('a:f b:p')],
      options: { history: remembered, now: () => 5, ...again(1) },
    })
    expect(flakes?.detail).toMatch(/"a" \(passed, then failed; it flaked 2 times in 9 earlier runs\)/)
    expect(remembered.told).toEqual([
      {
        tree: 't1',
        at: 5,
        rounds: [
          { green: true, failed: [] },
          { green: false, failed: ['a'] },
        ],
        flaky: ['a'],
      },
    ])
  })

  it('found by the runner itself do not pass', async () => {
    const remembered = history()
    await collected({ results: [result('a:r b:p')], options: { history: remembered } })
    expect(remembered.told[0]?.rounds).toEqual([{ green: false, failed: [] }])
  })

  it('in quarantine are remembered too', async () => {
    const remembered = history()
    const options = { history: remembered, quarantine, now, ...again(1) }
    await collected({ results: [green, result('a:f b:p')], options })
    expect(remembered.told[0]?.flaky).toEqual(['a'])
  })

  it('a test that failed on this tree does not count as passed until it settles', async () => {
    const first = await collected({
      results: [green, green],
      options: { history: history({ green: 0, failed: ['a'] }), ...again(1) },
    })
    expect([first.tests.answer, first.flakes?.detail]).toEqual([
      'unknown',
      expect.stringContaining('"a" (failed earlier, then passed'),
    ])
    const second = await collected({
      results: [green, green],
      options: { history: history({ green: 2, failed: ['a'] }), ...again(1) },
    })
    expect([second.tests.answer, second.flakes, second.tests.counts?.greenRuns]).toEqual(['yes', undefined, 4])
  })

  it('passing runs of earlier iterations on the same tree count', async () => {
    const { tests } = await collected({
      results: [green],
      claim: false,
      options: { history: history({ green: 3, failed: [] }) },
    })
    expect(tests.counts).toMatchObject({ runs: 1, greenRuns: 4 })
  })
})

describe('a command that fails without a failing test shows itself and its last lines', () => {
  const lint: Detected = { ...command, behind: 'xo && ava && tsd' }
  const output = `${'x\n'.repeat(50)}\u001b[31mindex.js:3:1\u001b[39m\n  Missing semicolon.\n\n1 error\n`
  const rows: [name: string, ended: TestResult, options: Partial<TestsOptions>, said: RegExp][] = [
    [
      'no test ran',
      result(undefined, { code: 1, output }),
      { commands: [lint] },
      /exited with 1, but its output shows no test results\.\nThe last lines of "npm test" \(xo && ava && tsd\):\n(?:x\n){7}index\.js:3:1\n {2}Missing semicolon\.\n1 error\n$/,
    ],
    [
      'the tests passed',
      result('a:p', { code: 2, output: 'a.d.ts: 1 error\n' }),
      {},
      /no test is reported as failed\..*\nThe last lines of "npm test":\na\.d\.ts: 1 error\n$/,
    ],
    [
      'a program is missing',
      result(undefined, { code: 127, output: 'sh: 1: xo: not found\n' }),
      { commands: [lint] },
      /could not be found or run\.\nThe last lines of .*\nsh: 1: xo: not found\n$/,
    ],
    ['a failing test', result('a:f b:p', { output: 'boom\n' }), {}, /^(?!.*last lines)/s],
  ]
  it.each(rows)('%s', async (_name, ended, options, said) => {
    const { tests } = await collected({ results: [ended], options, claim: false })
    expect(tests.detail).toMatch(said)
  })
})

const offline = (text: string, ...names: readonly string[]) => {
  const run = report(text)
  const tests = run.tests!.map((test) => (names.includes(test.name) ? { ...test, network: true as const } : test))
  return result({ ...run, tests })
}

describe('before the first iteration, failing tests run again alone', () => {
  const rows: [name: string, row: Row, answer: string, unsteady: Record<string, string>, runs: number, said: RegExp][] =
    [
      ['nothing fails', { results: [green] }, 'yes', {}, 1, /2 of 2 tests pass/],
      [
        'it fails every time',
        { results: [result('a:f b:p'), result('a:f'), result('a:f')] },
        'no',
        {},
        3,
        /Failing: "a"/,
      ],
      [
        'it passes at once',
        { results: [result('a:f b:p'), result('a:p')] },
        'yes',
        { a: 'flaky' },
        2,
        /Failing, but not counted: "a" \(it failed before the run, then passed with nothing changed\)/,
      ],
      [
        'it passes the second time',
        { results: [result('a:f b:p'), result('a:f'), result('a:p')] },
        'yes',
        { a: 'flaky' },
        3,
        /not counted: "a"/,
      ],
      [
        'one of two changes its mind',
        { results: [result('a:f b:f c:p'), result('a:p b:f'), result('b:f')] },
        'no',
        { a: 'flaky' },
        3,
        /Failing: "b" .*not counted: "a"/,
      ],
      [
        'it is not reported again: that says nothing',
        { results: [result('a:f b:p'), result('b:p'), result(undefined, { code: 1 })] },
        'no',
        {},
        3,
        /Failing: "a"/,
      ],
      [
        'two with one name, and one of them still fails',
        { results: [result('a:f a:p b:p'), result('a:f a:p'), result('a:f a:p')] },
        'no',
        {},
        3,
        /Failing: "a"/,
      ],
      [
        'it needs a network',
        { results: [offline('a:f b:p', 'a'), offline('a:f', 'a'), offline('a:f', 'a')] },
        'yes',
        { a: 'network' },
        3,
        /"a" \(it needs a network, and failed before the run without one\)/,
      ],
      [
        'the task names it, so it must pass',
        { results: [result('reads_the_clock:f b:p')], task: ['Make `reads the clock` stable.'] },
        'no',
        {},
        1,
        /Failing: "reads_the_clock"/,
      ],
      [
        'a file does not load: no test has a name to run again',
        { results: [result(report('b:p', { ok: false, suitesFailed: 1, problems: ['x did not load.'] }))] },
        'no',
        {},
        1,
        /x did not load/,
      ],
    ]
  it.each(rows)('%s', async (_name, row, answer, unsteady, runs, said) => {
    const found = await collected({ ...row, claim: false, options: { rerunFailing: true } })
    expect(found.tests.detail).toMatch(said)
    expect([found.tests.answer, found.calls.length]).toEqual([answer, runs])
    expect(Object.fromEntries((found.unsteady ?? []).map(({ name, why }) => [name, why]))).toEqual(unsteady)
    const names = Object.keys(unsteady)
    expect(found.tests.named?.unsteady ?? []).toEqual(names)
    expect(found.tests.named?.failing ?? []).not.toContain(names[0])
  })
})

it.each([
  [{ command: 'pytest', runner: 'pytest' }, 'pytest test_a.py', '1 failing test again'],
  [{ command: 'make test' }, 'make test', 'all tests again, for 1 failing test'],
])('says why the tests run again: %o', async (command, ran, why) => {
  const detected: Detected = { kind: 'test', cwd: '', why: '', ...command }
  const told: unknown[] = []
  const run: RunTests = async ({ command: line }, { as }) => {
    told.push([line, as?.why])
    return result('a:p')
  }
  const failing = [{ name: 'a', state: 'failed', file: 'test_a.py' }] as const
  const options = { deadlineMs: 1 }
  await findUnsteady(failing, { commands: [detected], run, workspace: {} as Workspace, options, ms: 1 })
  expect(told).toEqual([[ran, why]])
})

describe('on a claim, a test that was unsteady before the run', () => {
  const flaky = [{ name: 'a', why: 'flaky' }] as const
  const network = [{ name: 'a', why: 'network' }] as const
  const rows: [name: string, row: Row, answer: string, runs: number, said: RegExp][] = [
    ['passes', { results: [green], before: 'a:p b:p', unsteady: flaky }, 'yes', 1, /2 of 2 tests pass/],
    [
      'fails every time',
      { results: [result('a:f b:p')], before: 'a:p b:p', unsteady: flaky },
      'yes',
      1,
      /Failing, but not counted: "a"/,
    ],
    [
      'changes its mind again',
      { results: [result('a:f b:p'), green], before: 'a:p b:p', unsteady: flaky, options: again(1) },
      'yes',
      2,
      /Not counted: "a" \(it failed before the run, then passed with nothing changed\)/,
    ],
    ['is gone', { results: [result('b:p')], before: 'a:p b:p', unsteady: flaky }, 'no', 1, /Missing: "a"/],
    ['is skipped', { results: [result('a:s b:p')], before: 'a:p b:p', unsteady: flaky }, 'no', 1, /Missing: "a"/],
    [
      'and another one that starts to flake',
      { results: [green, result('a:p b:f')], before: 'a:p b:p', unsteady: flaky, options: again(1) },
      'unknown',
      2,
      /Different results for the same code: "b"/,
    ],
    [
      'and another one that fails',
      { results: [result('a:f b:f c:p')], before: 'a:p b:p c:p', unsteady: flaky },
      'no',
      1,
      /Failing: "b" /,
    ],
    [
      'still has no network',
      { results: [offline('a:f b:p', 'a')], before: 'a:f b:p', unsteady: network },
      'yes',
      1,
      /not counted: "a" \(it needs a network/,
    ],
    [
      'needed a network, and now fails for another reason',
      { results: [result('a:f b:p')], before: 'a:f b:p', unsteady: network },
      'no',
      1,
      /Failing: "a" \(already failed/,
    ],
  ]
  it.each(rows)('%s', async (_name, row, answer, runs, said) => {
    const { tests, calls } = await collected(row)
    expect(tests.detail).toMatch(said)
    expect([tests.answer, calls.length]).toEqual([answer, runs])
    // The decision compares these two.
    if (answer === 'yes') expect(tests.counts!.excused).toBe(tests.counts!.failed)
  })
})

describe('on a claim whose tests pass, the experiments follow', () => {
  const plan: WithoutPlan = {
    tests: [],
    revert: [],
    notReverted: [],
    newNames: new Set(),
    newModules: new Set(),
    testTexts: new Map(),
  }
  const second = {
    tree: 'own',
    run: report('a:p b:p'),
    cleared: 2,
    flaky: [],
    refuted: [],
    notRestored: [],
    unjudged: [],
  } as const
  const proofOf = (more: Partial<Proof>): Proof => ({
    plan,
    isNamed: true,
    sources: [],
    originals: second,
    flaky: [],
    ...more,
  })
  const broken = { file: 'a.test.js', groups: [], name: 'a', fresh: true, reported: true }
  const quarantine = [{ test: 'a', until: '2030-01-01', reason: 'the network' }]
  const now = () => Date.parse('2029-12-31T00:00:00Z')

  const rows: [
    name: string,
    proof: Partial<Proof>,
    answer: string,
    said: RegExp,
    counts: object,
    more?: Row['options'],
  ][] = [
    ['nothing is refuted', {}, 'yes', /^2 of 2 tests pass \(last of 2 runs\)\.$/, { runs: 2, greenRuns: 2 }],
    [
      'the broken tests fail',
      { broken: { state: 'armed', failed: 2, passed: [] } },
      'yes',
      / 2 tests that exitgate broke on purpose failed, as expected\.$/,
      { runs: 2, canary: 2 },
    ],
    [
      'a broken test passes',
      { broken: { state: 'disarmed', failed: 1, passed: [broken] } },
      'unknown',
      /^The tests can't fail: exitgate broke "a" \(a\.test\.js\) on purpose .* No changed file shows the cause\./,
      { disarmed: 1 },
    ],
    [
      'there is no test to break',
      { broken: { state: 'none', failed: 0, passed: [], why: 'exitgate found no test that it can break on purpose' } },
      'yes',
      / No canary: exitgate found no test that it can break on purpose\.$/,
      { runs: 2 },
    ],
    [
      'a test fails in the second run',
      { flaky: [{ name: 'a', state: 'passed' }] },
      'unknown',
      /Different results for the same code: "a" \(passed, then failed; it flaked 2 times in 9 earlier runs\)\./,
      { runs: 2 },
    ],
    [
      'a test in quarantine fails in the second run',
      { flaky: [{ name: 'a', state: 'passed' }] },
      'yes',
      /In quarantine until 2030-01-01: "a" \(the network\)\./,
      { runs: 2, greenRuns: 2 },
      { quarantine, now },
    ],
    [
      'they could not be run a second time',
      { why: 'The tests could not be run a second time: time ran out.' },
      'unknown',
      /^The tests could not be run a second time: time ran out\. 2 of 2 tests pass/,
      {},
    ],
    [
      'the original tests ran',
      {
        originals: { ...second, tree: 'original', cleared: 1, refuted: [{ name: 'b', is: 'adapted' }] },
        broken: { state: 'armed', failed: 1, passed: [] },
      },
      'yes',
      /^2 of 2 tests pass/,
      { cleared: 1, refuted: 1 },
    ],
  ]
  it.each(rows)('%s', async (_name, proof, answer, said, counts, more) => {
    const remembered = history()
    const { tests } = await collected({
      results: [green],
      options: { history: remembered, ...more, experiments: async () => proofOf(proof) },
    })
    expect([tests.answer, tests.detail]).toEqual([answer, expect.stringMatching(said)])
    expect(tests.counts).toMatchObject(counts)
    expect(remembered.told[0]?.flaky).toEqual((proof.flaky ?? []).map(({ name }) => name))
  })

  const never: [name: string, row: Row][] = [
    ['without a claim', { results: [green], claim: false }],
    ['after a failing test', { results: [result('a:f b:p')] }],
    ['after a test that is gone', { results: [result('b:p')], before: 'a:p b:p' }],
    ['after a command that failed', { results: [result('a:p', { code: 1 })] }],
    ['after a crash', { results: [result(undefined, { code: 134 })] }],
    ['after a second run that failed', { results: [green, result('a:f b:p')], options: again(1) }],
  ]
  it.each(never)('not %s', async (_name, row) => {
    const experiments = () => Promise.reject(new Error('an experiment too many'))
    const { calls } = await collected({ ...row, options: { ...row.options, experiments } })
    expect(calls.length).toBe(row.results.length)
  })

  it('once, after the last complete run, and they know the tests in quarantine', async () => {
    const asked: (readonly boolean[])[] = []
    const experiments: TestsOptions['experiments'] = async ({ run }, isHeld) => {
      asked.push(run.tests!.map(isHeld))
      return undefined
    }
    const { tests } = await collected({
      results: [green, green],
      options: { ...again(1), experiments, quarantine, now },
    })
    expect([asked, tests.answer, tests.counts?.runs]).toEqual([[[true, false]], 'yes', 2])
  })
})
