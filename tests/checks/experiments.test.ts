import { describe, expect, it } from 'vitest'
import { type BreakTests, type BrokenTest, brokenSentence } from '../../packages/exitgate/src/checks/broken.ts'
import { type Questions, runExperiments } from '../../packages/exitgate/src/checks/experiments.ts'
import type { OriginalsQuestion } from '../../packages/exitgate/src/checks/originals.ts'
import type { Ran, RunTree, Tree } from '../../packages/exitgate/src/checks/trees.ts'
import type { TestToProve, WithoutPlan } from '../../packages/exitgate/src/checks/without.ts'
import type { TestCase, TestRun, TestState } from '../../packages/test-output/src/types.ts'

const STATES: Readonly<Record<string, TestState>> = { f: 'failed', p: 'passed', s: 'skipped' }
/** `a:p b:f`: tests of the file `old.test.js`; those in capitals are in `new.test.js`. */
function report(text: string, more: Partial<TestRun> = {}): TestRun {
  const tests = text.split(' ').map((word): TestCase => {
    const [name = '', letter = ''] = word.split(':')
    const file = name === name.toUpperCase() ? 'new.test.js' : 'old.test.js'
    return { name, state: STATES[letter]!, file }
  })
  const count = (state: TestState) => tests.filter((test) => test.state === state).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  return { passed, failed, skipped, total: tests.length, ok: failed === 0, framework: 'x', tests, ...more }
}

/** A report with only counts. */
const counted = (passed: number, failed = 0): TestRun => ({
  ...{ passed, failed, skipped: 0, total: passed + failed, ok: failed === 0, framework: 'x' },
})

const prove: TestToProve = { file: 'new.test.js', groups: [], name: 'N', kind: 'new' }
const plan: WithoutPlan = {
  tests: [prove],
  revert: [{ path: 'a.js', text: 'old' }],
  notReverted: [],
  newNames: new Set(),
  newModules: new Set(),
  testTexts: new Map(),
}
const originals = (before: string, own: TestRun, isExcused = (_test: TestCase) => false): OriginalsQuestion => ({
  side: { files: [{ path: 'new.test.js', isHelper: false }], notRestored: [] },
  before: before === '3' ? counted(3) : report(before),
  own,
  isOwnInCopy: true,
  fileOf: ({ file }) => file,
  successorsOf: async (tests) => new Map(tests.map((test) => [test, { is: 'gone' as const }])),
  helperHides: () => undefined,
  isExcused,
})
const broken: BrokenTest = { file: 'new.test.js', groups: [], name: 'N', fresh: true, reported: true }
const choose: BreakTests = async (strength) => ({
  files: [{ path: 'new.test.js', text: strength, tests: [broken] }],
  complete: true,
})

/** The results by experiment, in order. One run too many fails the test. */
type Results = Readonly<Partial<Record<Tree['experiment'], readonly (string | Partial<Ran>)[]>>>
interface Row {
  readonly results: Results
  /** What ran: the experiment, and the files to which it was limited. */
  readonly ran: readonly string[]
  readonly excused?: string
  readonly found?: Readonly<Record<string, unknown>>
}

const ALL: Results = { without: ['N:f a:p', 'N:f a:p'], original: ['a:p'], own: ['N:p'], broken: ['N:f'] }
const C = 'without new.test.js'
const shuffled = (text: string): Partial<Ran> => ({ run: report(text), order: '--shuffle=7' })
const SECOND = [C, C, 'original', 'own new.test.js', 'own new.test.js', 'own new.test.js']
const rows: readonly [name: string, row: Row][] = [
  [
    'all, in this order: without the change (twice), the original tests, the own tests again, broken ones',
    {
      results: ALL,
      ran: [C, C, 'original', 'own new.test.js', 'broken new.test.js'],
      found: { flaky: [], originals: { cleared: 1, refuted: [] }, broken: { state: 'armed', failed: 1 } },
    },
  ],
  [
    'a new test that fails in a copy like that of run A, while it fails without the change too',
    {
      results: { ...ALL, without: ['N:f'], copy: ['N:f a:p'] },
      ran: [C, 'copy new.test.js', 'original', 'own new.test.js'],
      found: { without: [{ judgement: 'could-not-run' }], flaky: [{ name: 'N' }] },
    },
  ],
  [
    'a test that proves nothing still gets the answer of the original tests',
    {
      results: { ...ALL, without: ['N:p a:p'] },
      ran: [C, 'original', 'own new.test.js', 'broken new.test.js'],
      found: { without: [{ judgement: 'vacuous' }] },
    },
  ],
  [
    'an original test that fails and is gone stops the rest',
    {
      results: { ...ALL, original: ['a:f', 'a:f'] },
      ran: [C, C, 'original', 'original old.test.js'],
      found: { originals: { refuted: [{ name: 'a', is: 'lost' }] } },
    },
  ],
  [
    'an original test that fails only once stops the rest',
    {
      results: { ...ALL, original: ['a:f', 'a:p'] },
      ran: [C, C, 'original', 'original old.test.js'],
      found: { flaky: [{ name: 'a' }] },
    },
  ],
  [
    'original tests that no copy can run say nothing',
    {
      results: { ...ALL, original: [{ stopped: 'time ran out' }, { stopped: 'time ran out' }] },
      ran: [C, C, 'original', 'original old.test.js'],
      found: { why: 'The original tests could not be run on the new code: time ran out.' },
    },
  ],
  [
    'a new test that fails the second time',
    {
      results: { ...ALL, own: ['N:f'] },
      ran: [C, C, 'original', 'own new.test.js'],
      found: { flaky: [{ name: 'N' }] },
    },
  ],
  [
    'a new test that is skipped the second time',
    {
      results: { ...ALL, own: ['N:s a:p'] },
      ran: [C, C, 'original', 'own new.test.js'],
      found: { flaky: [{ name: 'N' }] },
    },
  ],
  [
    'a new test that is gone the second time',
    {
      results: { ...ALL, own: ['a:p', 'a:p'] },
      // With the other files once more: one of them may run it.
      ran: [C, C, 'original', 'own new.test.js', 'own'],
      found: { flaky: [{ name: 'N' }] },
    },
  ],
  [
    'a new test that passes in another order too',
    {
      results: { ...ALL, own: [shuffled('N:p')] },
      ran: [C, C, 'original', 'own new.test.js', 'broken new.test.js'],
      found: { flaky: [], broken: { state: 'armed' } },
    },
  ],
  [
    'a new test that needs its order',
    {
      results: { ...ALL, own: [shuffled('N:f'), 'N:p', shuffled('N:f')] },
      ran: SECOND,
      found: { flaky: [], why: '"N" passed only in the usual order (fails with --shuffle=7).' },
    },
  ],
  [
    'a new test that needs its order, among older ones that do',
    {
      results: { ...ALL, own: [shuffled('a:f N:f'), 'a:p N:p', shuffled('a:f N:f')] },
      ran: [...SECOND, 'broken new.test.js'],
      found: { flaky: [], ordered: { tests: [{ name: 'a' }, { name: 'N' }] }, broken: { state: 'armed' } },
    },
  ],
  [
    'a new test that fails in every second run is no matter of the order',
    {
      results: { ...ALL, own: [shuffled('N:f'), 'N:p', shuffled('N:p')] },
      ran: SECOND,
      found: { flaky: [{ name: 'N' }] },
    },
  ],
  [
    'a new test that fails in any order',
    {
      results: { ...ALL, own: [shuffled('N:f'), 'N:f'] },
      ran: SECOND.slice(0, -1),
      found: { flaky: [{ name: 'N' }] },
    },
  ],
  [
    'a runner that refuses the options for another order',
    {
      results: { ...ALL, own: [{ run: undefined, order: '--shuffle=7' }, 'N:p'] },
      ran: [...SECOND.slice(0, -1), 'broken new.test.js'],
      found: { flaky: [], broken: { state: 'armed' } },
    },
  ],
  [
    'a new test with a random name',
    {
      results: { ...ALL, own: ['N2:p'] },
      ran: [C, C, 'original', 'own new.test.js', 'broken new.test.js'],
      found: { flaky: [], broken: { state: 'armed' } },
    },
  ],
  [
    'a new test in quarantine that fails the second time: the broken ones still run',
    {
      results: { ...ALL, own: ['N:f'] },
      excused: 'N',
      ran: [C, C, 'original', 'own new.test.js', 'broken new.test.js'],
      found: { flaky: [{ name: 'N' }], broken: { state: 'armed' } },
    },
  ],
  [
    'new tests that do not run alone run with the others',
    {
      results: { ...ALL, own: [{ run: undefined }, 'N:p a:p'] },
      ran: [C, C, 'original', 'own new.test.js', 'own', 'broken new.test.js'],
      found: { flaky: [], broken: { state: 'armed' } },
    },
  ],
  [
    'new tests that run only once',
    {
      results: { ...ALL, own: [{ stopped: 'time ran out' }, { stopped: 'time ran out' }] },
      ran: [C, C, 'original', 'own new.test.js', 'own'],
      found: { why: 'The new tests could not be run a second time: time ran out.' },
    },
  ],
  [
    'broken tests that do not compile get the plainest failure, with all others',
    {
      results: { ...ALL, broken: [{ run: undefined }, 'N:f a:p'] },
      ran: [C, C, 'original', 'own new.test.js', 'broken new.test.js', 'broken'],
      found: { broken: { state: 'armed' } },
    },
  ],
  [
    'broken tests that pass',
    {
      results: { ...ALL, broken: ['N:p'] },
      ran: [C, C, 'original', 'own new.test.js', 'broken new.test.js'],
      found: { broken: { state: 'disarmed', passed: [{ name: 'N' }] } },
    },
  ],
]

describe('the experiments', () => {
  it.each(rows)('%s', async (_name, { results, ran, excused, found = {} }) => {
    const left = new Map(Object.entries(results).map(([experiment, all]) => [experiment, [...all]]))
    const calls: string[] = []
    const run: RunTree = async ({ experiment, only }) => {
      calls.push([experiment, ...(only ?? [])].join(' '))
      const next = left.get(experiment)?.shift()
      if (next === undefined) throw new Error(`one run too many: ${experiment}`)
      return {
        run: typeof next === 'string' ? report(next) : undefined,
        output: '',
        ...(typeof next !== 'string' && next),
      }
    }
    const own = report('a:p N:p')
    const questions: Questions = {
      without: { plan, emptied: async () => undefined },
      originals: originals('a:p', own, ({ name }) => name === excused),
      again: new Set(['new.test.js']),
      broken: { choose, limitMs: 1000 },
    }
    expect(await runExperiments({ run: own, ms: 1 }, questions, run)).toMatchObject(found)
    expect(calls).toEqual(ran)
  })

  it.each([
    ['a file checks less', 'weaker', 1, ['lost']],
    ['nothing can read the files', 'unread', 1, ['unread']],
    ['none fails', 'weaker', 0, []],
  ] as const)('original tests that fail in a report without names: %s', async (_name, is, failed, expected) => {
    const question: OriginalsQuestion = {
      ...originals('3', counted(3)),
      side: { files: [{ path: 'a.test.js', isHelper: false, original: 'old' }], notRestored: [] },
      successorsOf: async (tests) => new Map(tests.map((test) => [test, { is }])),
    }
    const run: RunTree = async () => ({ run: counted(3 - failed, failed), output: '' })
    const { originals: found } = await runExperiments({ run: counted(3), ms: 1 }, { originals: question }, run)
    expect(found?.refuted.map((each) => each.is)).toEqual(expected)
  })

  it('run only what you ask for', async () => {
    const none = () => Promise.reject(new Error('nothing to run'))
    expect(await runExperiments({ run: report('a:p'), ms: 1 }, {}, none)).toEqual({ flaky: [] })
  })
})

describe('the sentence about broken tests', () => {
  const rows: [name: string, chosen: Awaited<ReturnType<BreakTests>>, ran: Partial<Ran>, says: string][] = [
    [
      'they fail',
      { files: [{ path: 'new.test.js', text: '', tests: [broken] }], complete: true },
      { run: report('N:f') },
      '1 test that exitgate broke on purpose failed, as expected.',
    ],
    [
      'there are none',
      { files: [], complete: true },
      {},
      'No canary: exitgate found no test that it can break on purpose.',
    ],
    [
      'there can be none',
      { files: [], complete: false, why: 'exitgate does not know which runner "x" starts' },
      {},
      'No canary: exitgate does not know which runner "x" starts.',
    ],
    [
      'the run takes too long',
      { files: [{ path: 'new.test.js', text: '', tests: [broken] }], complete: true },
      { stopped: 'the tests did not finish in time without the changes' },
      'No canary: the run with broken tests shows no result (the tests did not finish in time).',
    ],
  ]
  it.each(rows)('%s', async (_name, chosen, ran, says) => {
    const run: RunTree = async () => ({ run: undefined, output: '', ...ran })
    const questions: Questions = { broken: { choose: async () => chosen, limitMs: 1 } }
    const { broken: result } = await runExperiments({ run: report('N:p'), ms: 1 }, questions, run)
    expect(brokenSentence(result!, [])).toBe(says)
  })
})
