import { describe, expect, it } from 'vitest'
import { type CiOnWork, type CiResult, redInCi } from '../../src/learning/automatic/ci.ts'
import { type FinishedRun, finishedRuns } from '../../src/learning/automatic/finished.ts'
import { redAgain } from '../../src/learning/automatic/red-again.ts'
import { revertedByName, type Snapshot, undone } from '../../src/learning/automatic/reverted.ts'
import { DONE, observation, stamped, verdict } from '../journal/samples.ts'

const DAY = 86_400_000
const work = { since: '0000000000', head: 'aaaaaaaaaa', files: { 'a.js': ['1', '2'], 'new.js': ['', '9'] } } as const
const done = (run: string, day: number, more: Partial<FinishedRun> = {}): FinishedRun => ({
  run,
  startedAt: day * DAY,
  endedAt: day * DAY + 1000,
  outcome: 'completed',
  treeBefore: '',
  tree: '',
  failedBefore: [],
  fixed: [],
  ...more,
})

describe('tests that fail again', () => {
  const fixes = { fixed: ['adds'] }
  it.each<[string, readonly FinishedRun[], readonly string[], readonly string[]]>([
    ['nothing happens later', [done('a', 0, fixes)], [], []],
    [
      'a later run had to fix the same test',
      [done('a', 0, fixes), done('b', 1, { failedBefore: ['adds'], fixed: ['adds'] })],
      [],
      ['a follow-up: run b had to fix "adds" again, which this run had fixed'],
    ],
    [
      'a later run finds it red',
      [done('a', 0, fixes), done('b', 1, { failedBefore: ['adds'], outcome: 'stuck' })],
      [],
      ['a red-again: "adds", which this run had fixed, failed again before run b'],
    ],
    ['too long ago', [done('a', 0, fixes), done('b', 15, { failedBefore: ['adds'] })], [], []],
    ['another test', [done('a', 0, fixes), done('b', 1, { failedBefore: ['divides'] })], [], []],
    ['a test that changes its mind', [done('a', 0, fixes), done('b', 1, { failedBefore: ['adds'] })], ['adds'], []],
    [
      'a run that did not complete',
      [done('a', 0, { ...fixes, outcome: 'stuck' }), done('b', 1, { failedBefore: ['adds'] })],
      [],
      [],
    ],
    [
      'whoever mended it last answers for it',
      [
        done('a', 0, fixes),
        done('b', 1, { failedBefore: [], fixed: ['adds'] }),
        done('c', 2, { failedBefore: ['adds'], fixed: ['adds'] }),
      ],
      [],
      ['b follow-up: run c had to fix "adds" again, which this run had fixed'],
    ],
    [
      'red on the very tree that was green',
      [done('a', 0, { tree: 't' }), done('b', 1, { treeBefore: 't', failedBefore: ['adds'] })],
      [],
      ['a red-again: "adds" failed before run b, on the same tree on which all tests passed in this run'],
    ],
    [
      'a known failure on the same tree',
      [done('a', 0, { tree: 't', failedBefore: ['adds'] }), done('b', 1, { treeBefore: 't', failedBefore: ['adds'] })],
      [],
      [],
    ],
    [
      'red on another tree',
      [done('a', 0, { tree: 't' }), done('b', 1, { treeBefore: 'u', failedBefore: ['adds'] })],
      [],
      [],
    ],
    ['trees that nobody could tell', [done('a', 0), done('b', 1, { failedBefore: ['adds'] })], [], []],
  ])('%s', (_name, runs, flaky, expected) => {
    const found = redAgain(runs, { days: 14, flaky: new Set(flaky) })
    expect(found.map(({ run, source, reason }) => `${run} ${source}: ${reason}`)).toEqual(expected)
  })
})

const at = (commit: string, files: Readonly<Record<string, string>>): Snapshot => ({ commit, files })
const after = { 'a.js': '2', 'new.js': '9' }
const before = { 'a.js': '1' }

describe('reverted work', () => {
  it.each<[string, readonly Snapshot[], string | undefined]>([
    ['it stayed', [at('c1', after)], undefined],
    ['it went', [at('c1', after), at('c2', before)], 'since commit c2 all its 2 files are as before the run'],
    ['it was never committed', [at('c1', before)], undefined],
    ['only a part went', [at('c1', after), at('c2', { ...after, 'a.js': '1' })], undefined],
    ['it was gone on with', [at('c1', after), at('c2', { ...after, 'a.js': '3' })], undefined],
    ['it came back', [at('c1', after), at('c2', before), at('c3', after)], undefined],
    [
      'it went twice',
      [at('c1', after), at('c2', before), at('c3', after), at('c4', before)],
      'since commit c4 all its 2 files are as before the run',
    ],
    ['other work came in its place', [at('c1', after), at('c2', before), at('c3', { 'a.js': '4' })], undefined],
  ])('%s', (_name, snapshots, reason) => {
    expect(undone(done('a', 0, { work }), snapshots)?.reason).toBe(reason)
  })

  it('is not detected if the files of a run are unknown', () => {
    expect(undone(done('a', 0), [at('c1', after), at('c2', before)])).toBe(undefined)
    expect(undone(done('a', 0, { work: { files: {} } }), [at('c1', {}), at('c2', {})])).toBe(undefined)
  })

  const revert = (commit: string, of: string) => ({ commit, message: `Revert "x"\n\nThis reverts commit ${of}.\n` })
  it.each<[string, Parameters<typeof revertedByName>[2], string | undefined]>([
    ['by name', [revert('ffffffff01', 'aaaaaaaaaa11')], 'commit ffffffff01 reverts aaaaaaaaaa of this run'],
    ['by a short name', [revert('ffffffff01', 'aaaaaaa')], 'commit ffffffff01 reverts aaaaaaaaaa of this run'],
    ['of another commit', [revert('ffffffff01', 'bbbbbbbbbb')], undefined],
    ['and the revert reverted', [revert('eeeeeeee02', 'ffffffff01'), revert('ffffffff01', 'aaaaaaaaaa11')], undefined],
    ['only spoken of', [{ commit: 'ffffffff01', message: 'We should not revert commit aaaaaaaaaa11' }], undefined],
  ])('is detected from a commit %s', (_name, later, reason) => {
    expect(revertedByName(done('a', 0), ['aaaaaaaaaa11'], later)?.reason).toBe(reason)
  })
})

describe('failed CI', () => {
  const red = (more: Partial<CiOnWork> = {}): CiOnWork => ({
    commit: 'cccccccccc',
    red: true,
    failed: [],
    alone: true,
    ...more,
  })
  const rows: [string, readonly CiOnWork[], readonly CiResult[], string | undefined][] = [
    ['on the work alone', [red()], [], 'CI failed on commit cccccccccc, which contains only the work of this run'],
    ['on more than the work', [red({ alone: false })], [], undefined],
    [
      'in a test that the run had made pass',
      [red({ alone: false, failed: ['adds'] })],
      [],
      'CI on commit cccccccccc: "adds" fails, although this run had fixed it',
    ],
    ['in a test that changes its mind', [red({ alone: false, failed: ['flips'] })], [], undefined],
    ['and green as well', [red()], [{ commit: 'cccccccccc', red: false, failed: [] }], undefined],
    ['before the run already', [red()], [{ commit: work.since, red: true, failed: [] }], undefined],
    ['not at all', [red({ red: false })], [], undefined],
  ]
  it.each(rows)('%s', (_name, results, others, reason) => {
    const run = done('a', 0, { work, fixed: ['adds', 'flips'] })
    const found = redInCi(run, results, { all: [...results, ...others], flaky: new Set(['flips']) })
    expect(found?.reason).toBe(reason)
  })
})

describe('finishedRuns', () => {
  it('has the end, tests and files of a run', () => {
    const tests = {
      check: 'tests',
      answer: 'yes' as const,
      detail: '',
      ms: 1,
      tree: 't2',
      named: { failing: [], fixed: ['adds'] },
    }
    const changed = { check: 'changed', answer: 'yes' as const, detail: '', ms: 1, tree: 't2', work }
    const failing = { ...tests, answer: 'no' as const, tree: 't1', named: { failing: ['adds'], fixed: [] } }
    const after = {
      phaseIteration: 1,
      streaks: {},
      breaker: {
        state: 'closed' as const,
        noProgress: 0,
        sameError: 0,
        gateBlocked: 0,
        failures: 0,
        denials: 0,
        loops: 0,
        sizes: [],
        opens: 0,
      },
      total: { ms: 0, tokens: 0, usd: 0 },
      trees: [],
    }
    const events = stamped([
      { type: 'run.started', run: 'a', baseline: { tests: failing } },
      {
        type: 'iteration.decided',
        iteration: 1,
        observation: { ...observation, evidence: { tests, changed } },
        verdict: verdict(DONE),
        after,
      },
      { type: 'run.ended', outcome: 'completed', ending: 'verified', reason: '', iteration: 1 },
      { type: 'run.started', run: 'b' },
    ])
    expect(finishedRuns(events)).toEqual([
      {
        run: 'a',
        startedAt: 1000,
        endedAt: 1002,
        outcome: 'completed',
        treeBefore: 't1',
        tree: 't2',
        failedBefore: ['adds'],
        fixed: ['adds'],
        work,
      },
      { run: 'b', startedAt: 1003, treeBefore: '', tree: '', failedBefore: [], fixed: [] },
    ])
  })
})
