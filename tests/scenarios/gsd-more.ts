import type { Expected, Given, Row, Turn } from './row.ts'

const go = 'continue'
const ticked = '- [x] 01-01-PLAN.md\n- [x] 02-01-PLAN.md\n'
const green: Given = { tests: { total: 4, passed: 4, failed: 0 } }
const row = (id: string, name: string, turns: Row['turns'], more: Partial<Row> = {}): Row => ({
  id: `gsd-more-${id}`,
  name,
  preset: 'gsd',
  turns,
  ...more,
})
const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row =>
  row(id, name, [[turn, expected]], more)
const fails = (task?: string): Turn => ({ failed: 'exit code 1', ...(task === undefined ? {} : { task }) })

/** Cases in addition to those of the original. */
export const gsdMore: readonly Row[] = [
  one(
    'no-tests-ran',
    'zero tests prove nothing',
    { evidence: { tests: { total: 0, passed: 0, failed: 0 } }, plan: ticked },
    [go, 'warn', { proof: 'unknown' }],
  ),
  one(
    'nested',
    'plans under headings and other items',
    {
      evidence: green,
      plan: '# Roadmap\n\n## Phase 1\n- [x] 01-01-PLAN.md: one\n  - [ ] look at the logs\n\n## Phase 2\n- [ ] 02-01-PLAN.md: two\n',
    },
    [go, 'warn', { answers: { checklist: 'no' }, measures: { 'checklist.total': 2, 'checklist.done': 1 } }],
  ),
  one('vetoed', "the agent's no wins here too", { says: 'EXIT_SIGNAL: false\n', evidence: green, plan: ticked }, [
    go,
    'continue',
    { missing: [/EXIT_SIGNAL: false/] },
  ]),
  one(
    'claim-only',
    'a claim alone completes nothing here',
    { says: 'EXIT_STATUS: COMPLETE\n', plan: '- [ ] 01-01-PLAN.md\n' },
    [go, 'continue', { proof: 'no' }],
  ),
  one(
    'both-open',
    'neither half passes: both messages',
    { evidence: { tests: false }, plan: '- [ ] 01-01-PLAN.md\n' },
    [
      go,
      'warn',
      {
        warnings: ['Completion check: tests not passing (TESTS_FAIL:?)', 'Completion check: plans still incomplete'],
      },
    ],
  ),
  one('interrupted', 'Ctrl+C', { evidence: green, plan: ticked, interrupted: true }, [
    'interrupted/interrupt',
    'interrupted',
  ]),
  one('forced', 'the user ends it', { forced: 'run' }, ['completed/forced', 'forced']),
  one('timeout', 'eight hours', { spent: { ms: 8 * 3_600_000 } }, [
    'aborted/time',
    'time',
    { reason: '480 of 480 minutes used' },
  ]),
  one('almost', 'just below eight hours', { spent: { ms: 8 * 3_600_000 - 1 } }, [go, 'continue']),
  row(
    'cap',
    'fifty iterations by default',
    Array.from({ length: 50 }, (_, i) => [
      { says: 'on it' },
      i < 49 ? [go, 'continue'] : ['aborted/iterations', 'iterations'],
    ]),
  ),
  row(
    'cap-success',
    'success in the last one',
    [
      [{ says: 'x' }, [go, 'continue']],
      [{ evidence: green, plan: ticked }, ['completed/verified', 'gate']],
    ],
    { config: { limits: { iterations: 2 } } },
  ),
  row(
    'stuck-first',
    'a stuck task comes before the breaker',
    Array.from({ length: 3 }, (_, i) => [
      fails('01-01'),
      i < 2 ? [go, i === 0 ? 'continue' : 'warn'] : ['stuck/same-task', 'same-task'],
    ]),
    { config: { breaker: { failures: 3 } } },
  ),
  row(
    'two',
    'another threshold',
    [
      [fails('01-01'), [go, 'continue']],
      [fails('01-01'), ['stuck/same-task', 'same-task', { reason: 'Same task failed 2 times' }]],
    ],
    { config: { sameTask: 2 } },
  ),
  row('success-between', 'a success ends both counts', [
    [fails('01-01'), [go, 'continue', { streaks: { sameTask: 1 }, measures: { failures: 1 } }]],
    [fails('01-01'), [go, 'warn', { streaks: { sameTask: 2 }, measures: { failures: 2 } }]],
    [
      { task: '01-01', evidence: { changed: true } },
      [go, 'continue', { streaks: { sameTask: 0 }, measures: { failures: 0 } }],
    ],
    [fails('01-01'), [go, 'continue', { streaks: { sameTask: 1 }, measures: { failures: 1 } }]],
  ]),
  row(
    'nameless',
    'failures without a task count only for the breaker',
    Array.from({ length: 5 }, (_, i) => [
      fails(),
      i < 4 ? [go, i === 0 ? 'continue' : 'warn', { streaks: { sameTask: 0 } }] : ['stuck/breaker', 'breaker-open'],
    ]),
  ),
  row('breaker-reset', 'a person resumes after the breaker', [
    [
      { ...fails('a'), given: { breaker: { state: 'open', reason: '5 failed iterations in a row' } } },
      ['stuck/breaker', 'breaker-open'],
    ],
    [{ ...fails('a'), before: 'breaker reset' }, [go, 'continue', { measures: { failures: 1 } }]],
  ]),
  one('unfinished', 'a broken status block is reported', { says: 'EXIT_STATUS: PERHAPS\n' }, [
    go,
    'warn',
    { warnings: [/PERHAPS/] },
  ]),
]
