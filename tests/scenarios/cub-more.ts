import type { Expected, Given, Row, Turn } from './row.ts'

const complete = 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n'
const go = 'continue'
const green: Given = { tests: true }
const byWords = 'completed/threshold'
const row = (id: string, name: string, turns: Row['turns'], more: Partial<Row> = {}): Row => ({
  id: `cub-more-${id}`,
  name,
  preset: 'cub',
  turns,
  ...more,
})
const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row =>
  row(id, name, [[turn, expected]], more)
/** One phrase and passing tests: exactly the threshold, if the phrase counts. */
const phrase = (id: string, says: string, counts: boolean): Row =>
  one(id, says, { says: `${says}\n${complete}`, evidence: green }, [
    counts ? 'completed/verified' : go,
    counts ? 'gate' : 'warn',
    { measures: { textIndicators: counts ? 1 : 0 } },
  ])

/** Cases in addition to those of the original. */
export const cubMore: readonly Row[] = [
  phrase('promise', '<promise>COMPLETE</promise>', true),
  phrase('tasks', 'All tasks in the list have been completed.', true),
  phrase('finished', 'The implementation is finished.', true),
  phrase('review', 'This is ready for review', true),
  phrase('no-work', 'There is no remaining work.', true),
  phrase('criteria', 'All acceptance criteria are met.', true),
  phrase('half', 'Half of the tasks are completed.', false),
  phrase('unfinished', 'The implementation is not finished.', false),
  phrase('question', 'Is it ready for review?', false),
  phrase('until', 'Not ready for review until the build is green.', false),
  row(
    'list',
    'one task of a list is verified and the run continues, without counting against it',
    [
      ...[1, 2, 3, 4].map((done): Row['turns'][number] => [
        { says: `ready for review\n${complete}`, evidence: { ...green, checklist: { total: 5, done } } },
        [go, 'continue', { claim: 'yes', proof: 'yes', breaker: { gateBlocked: 0 } }],
      ]),
      [
        { says: `ready for review\n${complete}`, evidence: { ...green, checklist: { total: 5, done: 5 } } },
        ['completed/verified', 'gate'],
      ],
    ],
    { config: { plan: 'PLAN.md' } },
  ),
  one(
    'list-missing',
    'a missing list is never done',
    { says: `ready for review\n${complete}`, evidence: green },
    [go, 'continue', { proof: 'yes', reason: /^Claim not verified: no plan found/ }],
    { config: { plan: 'PLAN.md' } },
  ),
  one(
    'five',
    'a threshold of five',
    { says: `All tasks completed, ready for review\n${complete}`, evidence: { tests: true, criteria: true } },
    [go, 'warn', { measures: { indicators: 4 } }],
    { config: { cub: { threshold: 5 } } },
  ),
  one(
    'one',
    'a threshold of one',
    { says: `ready for review\n${complete}`, evidence: { tests: false } },
    [byWords, 'indicators', { missing: ['tests: Given as no.'] }],
    { config: { cub: { threshold: 1 } } },
  ),
  one(
    'own-patterns',
    "the user's patterns replace the built-in ones",
    { says: `All tasks completed, ready for review. Shipped and sealed.\n${complete}`, evidence: green },
    ['completed/verified', 'gate', { measures: { textIndicators: 1 } }],
    { config: { cub: { patterns: ['shipped.*sealed', 'never said'] } } },
  ),
  one(
    'own-patterns-none',
    'and the built-in ones no longer count',
    { says: `All tasks completed, ready for review.\n${complete}`, evidence: green },
    [go, 'warn', { measures: { textIndicators: 0 } }],
    { config: { cub: { patterns: ['shipped'] } } },
  ),
  one(
    'criteria-check',
    'half of the acceptance criteria met',
    { says: `ready for review\n${complete}`, evidence: { criteria: { total: 4, met: 3 } } },
    [go, 'warn', { measures: { evidenceIndicators: 0 } }],
  ),
  one(
    'criteria-zero',
    'no criteria at all',
    { says: `ready for review\n${complete}`, evidence: { criteria: { total: 0, met: 0 } } },
    [go, 'warn', { measures: { evidenceIndicators: 0 } }],
  ),
  one(
    'criteria-plan',
    'without criteria the plan counts',
    { says: `ready for review\n${complete}`, plan: '- [x] a\n- [x] b\n' },
    [byWords, 'indicators', { measures: { evidenceIndicators: 1 } }],
  ),
  one(
    'no-tests',
    'tests turned off as an indicator',
    { says: `ready for review\n${complete}`, evidence: green },
    [go, 'warn', { measures: { evidenceIndicators: 0 } }],
    { config: { cub: { evidence: { tests: false } } } },
  ),
  one(
    'unknown-tests',
    'unreadable tests are not an indicator',
    { says: `ready for review\n${complete}`, evidence: { tests: 'unknown' } },
    [go, 'warn', { measures: { evidenceIndicators: 0 } }],
  ),
  one(
    'build',
    'a required build',
    { says: `ready for review\n${complete}`, evidence: { build: true } },
    [byWords, 'indicators'],
    { config: { cub: { evidence: { build: true } } } },
  ),
  one(
    'staged',
    'staged changes are uncommitted changes',
    { says: `ready for review\n${complete}`, evidence: { git: 'staged' } },
    [go, 'warn', { measures: { evidenceIndicators: 0 } }],
    { config: { cub: { evidence: { cleanGit: true } } } },
  ),
  one(
    'committed',
    'committed work is not',
    { says: `ready for review\n${complete}`, evidence: { git: 'committed' } },
    [byWords, 'indicators'],
    { config: { cub: { evidence: { cleanGit: true } } } },
  ),
  one(
    'completed-word',
    'COMPLETED is another word',
    { says: 'All tasks completed, ready for review\nEXIT_STATUS: COMPLETED\n' },
    [go, 'warn', { claim: 'unknown' }],
  ),
  one(
    'template',
    'the template is echoed',
    { says: 'All tasks completed, ready for review\nEXIT_STATUS: {COMPLETE|CONTINUE}\n' },
    [go, 'warn', { claim: 'unknown' }],
  ),
  one('blocked', 'BLOCKED asks the user', { says: 'EXIT_STATUS: BLOCKED\nEXIT_REASON: no key for the service\n' }, [
    'aborted/needs-human',
    'needs-human',
    { reason: /no key for the service/ },
  ]),
  one(
    'override-low',
    'an override with medium confidence',
    { says: 'EXIT_STATUS: COMPLETE\nEXIT_CONFIDENCE: MEDIUM\nEXIT_OVERRIDE: true\n' },
    [go, 'warn'],
    { config: { agentOverride: true } },
  ),
  one(
    'override-false',
    'an override that says false',
    { says: 'EXIT_STATUS: COMPLETE\nEXIT_CONFIDENCE: HIGH\nEXIT_OVERRIDE: false\n' },
    [go, 'warn'],
    { config: { agentOverride: true } },
  ),
  one(
    'override-breaker',
    'an override never passes an open breaker',
    {
      says: 'EXIT_STATUS: COMPLETE\nEXIT_CONFIDENCE: HIGH\nEXIT_OVERRIDE: true\n',
      given: { breaker: { state: 'open', reason: 'Exit gate not passing' } },
    },
    ['stuck/breaker', 'breaker-open'],
    { config: { agentOverride: true } },
  ),
  one(
    'override-remaining',
    'nor remaining work',
    { says: 'EXIT_STATUS: COMPLETE\nEXIT_CONFIDENCE: HIGH\nEXIT_OVERRIDE: true\nREMAINING_WORK: docs\n' },
    [go, 'warn'],
    { config: { agentOverride: true } },
  ),
  one('forced', 'the user skips the gate', { says: 'still at it', forced: 'run' }, [
    'completed/forced',
    'forced',
    { missing: [/has not reported/, /0 completion indicators/] },
  ]),
  one(
    'interrupted',
    'Ctrl+C',
    { says: `All tasks completed, ready for review\n${complete}`, evidence: green, interrupted: true },
    ['interrupted/interrupt', 'interrupted'],
  ),
  one(
    'gate-breaker',
    'the gate comes before the breaker',
    { says: `ready for review\n${complete}`, evidence: green, given: { breaker: { state: 'open' } } },
    ['completed/verified', 'gate'],
  ),
  row('pass-resets', 'an open gate ends the count of blocked ones', [
    [{ says: 'a' }, [go, 'continue', { breaker: { gateBlocked: 1 } }]],
    [
      { says: `ready for review\n${complete}`, evidence: green },
      ['completed/verified', 'gate', { breaker: { gateBlocked: 0 } }],
    ],
  ]),
  row(
    'stagnation',
    'the number of blocked gates is a setting',
    [
      [{ says: 'a' }, [go, 'continue']],
      [{ says: 'a' }, ['stuck/breaker', 'breaker-open', { reason: 'Circuit breaker is OPEN: Exit gate not passing' }]],
    ],
    { config: { breaker: { gateBlocked: 2 } } },
  ),
  row(
    'no-breaker',
    'without a breaker the gate works just the same',
    [
      ...Array.from({ length: 5 }, () => [{ says: 'a' }, [go, 'continue']] as const),
      [{ says: `ready for review\n${complete}`, evidence: green }, ['completed/verified', 'gate']],
    ],
    { config: { breaker: { enabled: false } } },
  ),
  row(
    'same-task',
    'one task fails three times',
    Array.from({ length: 3 }, (_, i) => [
      { failed: 'x', task: 't' },
      i < 2 ? [go, i === 0 ? 'continue' : 'warn'] : ['stuck/same-task', 'same-task'],
    ]),
    { config: { breaker: { gateBlocked: 9 } } },
  ),
  one('cap', 'the iteration limit', { says: 'a' }, ['aborted/iterations', 'iterations'], {
    config: { limits: { iterations: 1 } },
  }),
  one('cap-time', 'the time limit', { says: 'a', spent: { ms: 60_000 } }, ['aborted/time', 'time'], {
    config: { limits: { minutes: 1 } },
  }),
  one('half-open', 'a half-open breaker is reported', { says: 'a', given: { breaker: { state: 'half-open' } } }, [
    go,
    'warn',
    { warnings: [/allows one try/] },
  ]),
]
