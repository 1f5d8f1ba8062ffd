import { doyakenBlock, type Expected, type Given, type Row, type Turn } from './row.ts'

const go = 'continue'
const full = doyakenBlock({ complete: 'true' })
const inDone: Given = { git: 'modified', 'task-done': true }
const row = (id: string, name: string, turns: Row['turns'], more: Partial<Row> = {}): Row => ({
  id: `doyaken-more-${id}`,
  name,
  preset: 'doyaken',
  turns,
  ...more,
})
const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row =>
  row(id, name, [[turn, expected]], more)

/** Cases in addition to those of the original. */
export const doyakenMore: readonly Row[] = [
  one(
    'verified',
    'with our own passing tests the ending is verified',
    { says: `All tasks complete\n${full}`, evidence: { ...inDone, tests: true } },
    ['completed/verified', 'gate', { missing: [], measures: { score: 100 } }],
  ),
  one(
    'list',
    'one task of a list is done, and the run continues with the next',
    { says: `All tasks complete\n${full}`, evidence: { ...inDone, tests: true, checklist: { total: 2, done: 1 } } },
    [go, 'continue', { claim: 'yes', proof: 'yes' }],
    { config: { plan: 'tasks' } },
  ),
  one(
    'failing',
    'with failing tests the ending is only threshold',
    { says: `All tasks complete\n${full}`, evidence: { ...inDone, tests: false } },
    ['completed/threshold', 'score', { missing: ['tests: Given as no.'] }],
  ),
  one('done-folder', 'the done folder is an indicator too', { says: `finished\n${full}`, evidence: inDone }, [
    'completed/threshold',
    'score',
    { measures: { score: 90 } },
  ]),
  one(
    'not-moved',
    'committed and not moved: 80',
    { says: `All tasks complete\n${full}`, evidence: { git: 'committed' } },
    ['completed/threshold', 'score', { measures: { score: 80 } }],
  ),
  one(
    'sixty-five',
    'nothing changed and not moved: 65',
    { says: `All tasks complete\n${full}`, evidence: { git: 'clean' } },
    [go, 'continue', { measures: { score: 65 } }],
  ),
  one(
    'capitals',
    'values in upper case',
    { says: `All tasks complete\nDOYAKEN_STATUS:\n  PHASE_COMPLETE: True\n  TESTS_STATUS: PASS\n`, evidence: inDone },
    ['completed/threshold', 'score', { measures: { score: 100 } }],
  ),
  one(
    'fail',
    'failing tests as the agent reports them',
    { says: `All tasks complete\n${doyakenBlock({ complete: 'true', tests: 'fail' })}`, evidence: inDone },
    ['completed/threshold', 'score', { measures: { score: 95, 'score.testsPass': 0 } }],
  ),
  one(
    'no-newline',
    'no line end at the end',
    { says: 'All tasks complete\nDOYAKEN_STATUS:\n  PHASE_COMPLETE: true', evidence: inDone },
    ['completed/threshold', 'score', { measures: { score: 95 } }],
  ),
  one(
    'two-blocks',
    'two blocks: the last one counts',
    { says: `${full}\nAll tasks complete, then it broke\n\n${doyakenBlock({ complete: 'false' })}`, evidence: inDone },
    [go, 'warn', { claim: 'no', warnings: [/contradict/] }],
  ),
  one(
    'booster',
    'words, the done folder and passing tests without a block',
    { says: 'All tasks complete\n', evidence: { ...inDone, tests: true } },
    ['completed/threshold', 'without-block', { claim: 'unknown' }],
    { config: { doyaken: { structuredSignal: 'booster' } } },
  ),
  one('booster-tests', 'not without passing tests', { says: 'All tasks complete\n', evidence: inDone }, [go, 'warn'], {
    config: { doyaken: { structuredSignal: 'booster' } },
  }),
  one('booster-words', 'not without words', { says: 'ok\n', evidence: { ...inDone, tests: true } }, [go, 'warn'], {
    config: { doyaken: { structuredSignal: 'booster' } },
  }),
  one(
    'booster-veto',
    'not against a no',
    { says: `All tasks complete\n${doyakenBlock({ complete: 'false' })}`, evidence: { ...inDone, tests: true } },
    [go, 'continue', { claim: 'no' }],
    { config: { doyaken: { structuredSignal: 'booster' } } },
  ),
  one(
    'required',
    'by default the block is required',
    { says: 'All tasks complete\n', evidence: { ...inDone, tests: true } },
    [go, 'warn', { warnings: [/no status block with a claim/] }],
  ),
  one(
    'weights',
    "the user's weights",
    { says: `All tasks complete\n${full}`, evidence: { git: 'clean' } },
    ['completed/threshold', 'score', { measures: { score: 75 } }],
    { config: { doyaken: { weights: { keywords: 20 } } } },
  ),
  one(
    'threshold-ninety',
    'a higher threshold',
    { says: `All tasks complete\n${full}`, evidence: { git: 'modified' } },
    [go, 'continue', { measures: { score: 80 } }],
    { config: { doyaken: { threshold: 90 } } },
  ),
  one(
    'other-dialect',
    'a claim in another dialect is not this block',
    { says: 'All tasks complete\nEXIT_STATUS: COMPLETE\n', evidence: inDone },
    [go, 'warn', { claim: 'unknown' }],
  ),
  one(
    'tool',
    'the tool claims completion',
    { says: 'All tasks complete', stream: { toolSignals: [{ status: 'complete' }] }, evidence: inDone },
    [go, 'continue', { claim: 'yes', measures: { score: 45 } }],
  ),
  row(
    'tool-low',
    'three claims below 50 warn',
    Array.from({ length: 3 }, (_, i) => [
      { stream: { toolSignals: [{ status: 'complete' }] }, evidence: { git: 'modified' } },
      [
        go,
        'warn',
        {
          streaks: { lowConfidence: i + 1 },
          warnings: i === 2 ? [/3 times with a low score/] : [/no completion indicator/],
        },
      ],
    ]),
  ),
  row('low-ends', 'a claim with a good score ends the count', [
    [{ says: 'All tasks complete\n', evidence: { git: 'clean' } }, [go, 'warn', { streaks: { lowConfidence: 1 } }]],
    [
      { says: `All tasks complete\n${full}`, evidence: { git: 'clean' } },
      [go, 'continue', { streaks: { lowConfidence: 0 } }],
    ],
  ]),
  row('cooldown', 'five minutes later one try is let through', [
    [
      { says: 'x', given: { breaker: { state: 'open', reason: 'no progress' } } },
      ['stuck/breaker', 'breaker-was-open'],
    ],
    [{ says: 'x', after: 4, evidence: { git: 'modified' } }, ['stuck/breaker', 'breaker-was-open']],
    [
      { says: 'x', after: 5, evidence: { git: 'modified' } },
      [go, 'continue', { moves: 'open>half-open half-open>closed' }],
    ],
  ]),
  one('blocked', 'the agent is blocked', { says: 'EXIT_STATUS: BLOCKED\nEXIT_REASON: no access\n' }, [
    'aborted/needs-human',
    'needs-human',
  ]),
  row(
    'same-task',
    'one task fails three times',
    Array.from({ length: 3 }, (_, i) => [
      { failed: 'x', task: 't' },
      i < 2 ? [go, i === 0 ? 'continue' : 'warn'] : ['stuck/same-task', 'same-task'],
    ]),
    { config: { breaker: { noProgress: 9 } } },
  ),
  one(
    'forced',
    'the user ends it although the breaker is open',
    { forced: 'run', given: { breaker: { state: 'open' } } },
    ['completed/forced', 'forced'],
  ),
  one('cap', 'the iteration limit', { says: 'x' }, ['aborted/iterations', 'iterations'], {
    config: { limits: { iterations: 1 } },
  }),
  one('time', 'the time limit', { says: 'x', spent: { ms: 60_000 } }, ['aborted/time', 'time'], {
    config: { limits: { minutes: 1 } },
  }),
]
