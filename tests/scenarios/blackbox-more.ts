import { type Expected, type Row, type Turn, ticks } from './row.ts'

const sure = 'I am confident this is correct.\n'
const go = 'continue'
const row = (id: string, name: string, turns: Row['turns'], more: Partial<Row> = {}): Row => ({
  id: `blackbox-more-${id}`,
  name,
  preset: 'blackbox',
  turns,
  ...more,
})
const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row =>
  row(id, name, [[turn, expected]], more)
const sounds = (id: string, says: string, confidence: number): Row =>
  one(id, `${says} is ${confidence}`, { says: `${says}\n`, plan: ticks(1, 2) }, [
    confidence < 70 ? 'aborted/low-confidence' : go,
    confidence < 70 ? 'low-confidence' : 'continue',
    { measures: { confidence } },
  ])
const done = (id: string, ticked: number, open: number, expected: Expected, more: Partial<Row> = {}): Row =>
  one(id, `${ticked} of ${ticked + open}`, { says: sure, plan: ticks(ticked, open) }, expected, more)

/** Cases in addition to those of the original. */
export const blackboxMore: readonly Row[] = [
  sounds('absolutely', 'It is absolutely right.', 100),
  sounds('definitely', 'It is definitely right.', 60),
  sounds('likely', 'It is likely right.', 60),
  sounds('likely-hedged', 'It is likely right, maybe.', 60),
  sounds('not-confident', 'I am not confident in this.', 50),
  sounds('unsure', 'I am unsure, maybe it works.', 40),
  sounds('uncertain-certain', 'I am uncertain, though it is definitely built.', 60),
  sounds('sure-and-unsure', 'I am confident in the parser, but not certain about the rest.', 50),
  sounds('three-certain', 'Definitely assured and guaranteed.', 80),
  sounds('sure-hedges', 'I am sure, roughly.', 100),
  sounds('ensure', 'We must ensure that it works.', 50),
  one('no-plan', 'no plan at all', { says: sure }, [
    go,
    'continue',
    { unmeasured: ['completion'], reason: 'Checking progress...' },
  ]),
  done('eighty', 80, 20, [
    'completed/threshold',
    'completion-threshold',
    { reason: 'Task completion 80% >= threshold 80%', missing: [/20 items open/] },
  ]),
  done('four-five', 4, 1, ['completed/threshold', 'completion-threshold']),
  done('floor', 79, 20, [go, 'continue', { measures: { completion: 79 } }]),
  done('all', 3, 0, ['completed/verified', 'completion', { missing: [] }]),
  done('above-hundred', 3, 0, ['completed/verified', 'all-ticked', { reason: 'All 3 tasks completed' }], {
    config: { blackbox: { minCompletion: 101 } },
  }),
  done('hundred', 9, 1, [go, 'continue'], { config: { blackbox: { minCompletion: 100 } } }),
  one(
    'vetoed',
    "the agent's no wins against a full plan",
    { says: `${sure}EXIT_STATUS: CONTINUE\n`, plan: ticks(3, 0) },
    [go, 'continue', { missing: [/EXIT_STATUS: CONTINUE/] }],
  ),
  one('indented', 'indented boxes count, links do not', { says: sure, plan: '- [x] a\n  - [ ] b\n- [link](x)\n' }, [
    go,
    'continue',
    { measures: { completion: 50 } },
  ]),
  one('done-unsure', 'a completed plan comes before doubt', { says: 'maybe\n', plan: ticks(5, 0) }, [
    'completed/verified',
    'completion',
  ]),
  one(
    'unsure-errors',
    'doubt comes before errors',
    { says: 'maybe an error, failed, exception, issue, problem, bug\n', plan: ticks(1, 9) },
    ['aborted/low-confidence', 'low-confidence'],
  ),
  one(
    'five-errors',
    'five kinds of trouble are allowed',
    { says: `${sure}error, failed, exception, issue, problem\n`, plan: ticks(1, 9) },
    [go, 'continue', { measures: { errors: 5 } }],
  ),
  one(
    'seven-errors',
    'seven are not',
    { says: `${sure}error, failed, exception, issue, problem, bug, mistake\n`, plan: ticks(1, 9) },
    ['aborted/errors', 'errors', { reason: 'Error count 7 > threshold 5' }],
  ),
  one(
    'two-errors',
    'two at most, when so configured',
    { says: `${sure}error, failed, exception\n`, plan: ticks(1, 9) },
    ['aborted/errors', 'errors'],
    { config: { blackbox: { maxErrors: 2 } } },
  ),
  row('grown', 'a plan that grew while nothing was ticked is no progress', [
    [{ says: sure, plan: ticks(1, 2) }, [go, 'continue', { streaks: { stagnation: 0 } }]],
    [
      { says: sure, plan: ticks(1, 5) },
      [go, 'continue', { streaks: { stagnation: 1 }, reason: 'No progress (1/3 loops)' }],
    ],
  ]),
  row(
    'claims',
    "stagnation does not depend on the agent's words",
    Array.from({ length: 4 }, (_, i) => [
      { says: `${sure}All tasks complete!\n`, plan: ticks(1, 2) },
      i < 3 ? [go, 'continue'] : ['stuck/stagnation', 'stagnation'],
    ]),
  ),
  row(
    'baseline',
    'the plan before the first loop counts as seen',
    [[{ says: sure, plan: ticks(1, 2) }, [go, 'continue', { streaks: { stagnation: 1 } }]]],
    { baseline: { checklist: { total: 3, done: 1 } } },
  ),
  row('unticked', 'a tick taken back is no progress', [
    [{ says: sure, plan: ticks(2, 2) }, [go, 'continue']],
    [{ says: sure, plan: ticks(1, 3) }, [go, 'continue', { streaks: { stagnation: 1 } }]],
  ]),
  row('plan-lost', 'a plan that went missing is neither', [
    [{ says: sure, plan: ticks(1, 2) }, [go, 'continue']],
    [{ says: sure }, [go, 'continue', { streaks: { stagnation: 0 } }]],
  ]),
  row(
    'loops',
    'twenty loops end it, even with progress',
    Array.from({ length: 20 }, (_, i) => [
      { says: sure, plan: ticks(i + 1, 99) },
      i < 19 ? [go, 'continue'] : ['stuck/breaker', 'breaker-open', { reason: /20 iterations since the last reset/ }],
    ]),
  ),
  row(
    'script',
    'a simple script gets five',
    Array.from({ length: 5 }, (_, i) => [
      { says: sure, plan: ticks(i + 1, 99) },
      i < 4 ? [go, 'continue'] : ['stuck/breaker', 'breaker-open'],
    ]),
    { taskType: 'simple_script' },
  ),
  one(
    'forced',
    'the user ends it although the breaker is open',
    { forced: 'run', given: { breaker: { state: 'open' } } },
    ['completed/forced', 'forced'],
  ),
  one('interrupted', 'Ctrl+C', { interrupted: true, plan: ticks(3, 0) }, ['interrupted/interrupt', 'interrupted']),
  one('cap', 'the iteration limit', { says: sure, plan: ticks(1, 3) }, ['aborted/iterations', 'iterations'], {
    config: { limits: { iterations: 1 } },
  }),
  one('time', 'the time limit', { says: sure, plan: ticks(1, 3), spent: { ms: 60_000 } }, ['aborted/time', 'time'], {
    config: { limits: { minutes: 1 } },
  }),
]
