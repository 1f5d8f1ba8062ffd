import type { Expected, Given, Row, Turn } from './row.ts'

export const done =
  'Everything works.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: the parser is written\nREMAINING_WORK: none\n'
export const green: Given = { tests: { total: 10, passed: 10, failed: 0 }, changed: true }
export const failing: Given = { tests: { total: 10, passed: 8, failed: 2 }, changed: true }
export const open = 'continue'
export const verified = ['completed/verified', 'gate'] as const

export const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row => ({
  id: `default-${id}`,
  name,
  preset: 'default',
  turns: [[turn, expected]],
  ...more,
})
export const several = (id: string, name: string, turns: Row['turns'], more: Partial<Row> = {}): Row => ({
  id: `default-${id}`,
  name,
  preset: 'default',
  turns,
  ...more,
})
const broken = { breaker: { state: 'open', reason: 'No progress for 3 iterations' } } as const
const bothKeys: Turn = { says: done, evidence: green }

/** The rules of the default preset in order, each tested against those after it. */
export const byDefault: readonly Row[] = [
  one('both-keys', 'claim and proof in the same iteration', bothKeys, [
    ...verified,
    { claim: 'yes', proof: 'yes', missing: [], measures: { confidence: 100, 'tests.passed': 10 } },
  ]),
  one('claim-alone', 'a claim without proof', { says: done, evidence: failing }, [
    open,
    'warn',
    {
      claim: 'yes',
      proof: 'no',
      warnings: [/^Claim rejected: 2 of 10 tests fail\.$/],
      missing: [/2 of 10 tests fail/],
    },
  ]),
  one('proof-alone', 'proof without a claim', { says: 'I refactored a bit.', evidence: green }, [
    open,
    'warn',
    { claim: 'unknown', proof: 'yes', warnings: [/has not reported that it is done/], measures: { confidence: 70 } },
  ]),
  one('neither', 'neither', { says: 'I am on it.', evidence: failing }, [
    open,
    'continue',
    { claim: 'unknown', proof: 'no', warnings: [], missing: ['the agent has not reported that it is done', /2 of 10/] },
  ]),
  several('not-together', 'the claim of one iteration and the proof of the next do not meet', [
    [{ says: done, evidence: failing }, [open, 'warn']],
    [{ says: 'fixed it', evidence: green }, [open, 'warn', { claim: 'unknown', proof: 'yes' }]],
    [bothKeys, verified],
  ]),

  one('interrupted', 'Ctrl+C takes precedence over claim and proof', { ...bothKeys, interrupted: true }, [
    'interrupted/interrupt',
    'interrupted',
    { missing: [] },
  ]),
  one('interrupted-forced', 'and over a forced end', { says: '', interrupted: true, forced: 'run' }, [
    'interrupted/interrupt',
    'interrupted',
  ]),
  several('interrupted-uncounted', 'an iteration that was cut short is not held against the run', [
    [{ failed: 'exit 1', task: 't' }, [open, 'continue', { breaker: { noProgress: 1 }, streaks: { sameTask: 1 } }]],
    [
      { failed: 'killed', task: 't', interrupted: true },
      ['interrupted/interrupt', 'interrupted', { breaker: { noProgress: 1, state: 'closed' }, moves: '' }],
    ],
    [{ failed: 'exit 1', task: 't' }, [open, 'warn', { breaker: { noProgress: 2 }, streaks: { sameTask: 2 } }]],
  ]),
  one('forced', 'the user forces completion without proof', { says: 'no idea', evidence: failing, forced: 'run' }, [
    'completed/forced',
    'forced',
    { reason: 'forced by mia (reviewed by hand)', missing: [/has not reported/, /2 of 10/] },
  ]),
  one('forced-proven', 'forced stays forced even with claim and proof', { ...bothKeys, forced: 'run' }, [
    'completed/forced',
    'forced',
    { missing: [] },
  ]),
  one(
    'forced-vetoed',
    'forced over a "not done": the reason against it is reported',
    {
      says: 'EXIT_STATUS: CONTINUE\nREMAINING_WORK: the docs\n',
      evidence: green,
      forced: 'run',
    },
    ['completed/forced', 'forced', { missing: [/EXIT_STATUS: CONTINUE/, /the docs/] }],
  ),
  one(
    'forced-remaining',
    'also with claim and proof, when only remaining work contradicts it',
    {
      says: 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: the docs\n',
      evidence: green,
      forced: 'run',
    },
    ['completed/forced', 'forced', { claim: 'yes', proof: 'yes', missing: [/the docs/] }],
  ),
  one('forced-open-breaker', 'the user may complete a run whose breaker is open', { forced: 'run', given: broken }, [
    'completed/forced',
    'forced',
  ]),
  one('forced-phase', 'skipping a phase has no effect without phases', { says: 'x', forced: 'phase' }, [
    open,
    'continue',
  ]),

  several(
    'gate-breaker',
    'success is decided before the breaker that this iteration would open',
    [
      [{ says: 'a', evidence: { changed: false } }, [open, 'continue']],
      [{ says: 'a', evidence: { changed: false } }, [open, 'warn', { breaker: { state: 'half-open' } }]],
      [
        { says: done, evidence: { ...green, changed: false } },
        [...verified, { breaker: { state: 'closed', noProgress: 0 }, moves: 'half-open>closed' }],
      ],
    ],
    { config: { requireChange: false } },
  ),
  one(
    'gate-open-breaker',
    'claim and proof complete the run even if the breaker was open',
    { ...bothKeys, given: broken },
    verified,
  ),
  several(
    'gate-cap',
    'success in the last allowed iteration',
    [
      [{ says: 'a' }, [open, 'continue']],
      [bothKeys, verified],
    ],
    { config: { limits: { iterations: 2 } } },
  ),
  one(
    'gate-time',
    'success after the last minute',
    { ...bothKeys, spent: { ms: 9e9, usd: 99, tokens: 9e9 } },
    verified,
    {
      config: { limits: { minutes: 1, usd: 1, tokens: 1 } },
    },
  ),
  one(
    'gate-failed',
    'claim and proof complete the run although the agent ended with an error',
    { ...bothKeys, failed: 'exit 1', task: 't' },
    verified,
  ),
  several('gate-same-task', 'success at the third failure of a task', [
    [{ failed: 'x', task: 't' }, [open, 'continue']],
    [{ failed: 'x', task: 't' }, [open, 'warn']],
    [{ ...bothKeys, failed: 'x', task: 't' }, verified],
  ]),

  several('breaker', 'three iterations without change', [
    [{ says: 'a', evidence: { changed: false } }, [open, 'continue', { breaker: { noProgress: 1 } }]],
    [
      { says: 'b', evidence: { changed: false } },
      [open, 'warn', { breaker: { state: 'half-open', noProgress: 2 }, warnings: [/^no progress for 2/] }],
    ],
    [
      { says: 'c', evidence: { changed: false } },
      [
        'stuck/breaker',
        'breaker-open',
        {
          reason:
            /^Circuit breaker is OPEN: The agent has not reported that it is done\. .* exitgate saw no change in 3 iterations\.$/,
          missing: ['the agent has not reported that it is done', /^no test command found/, /^files changed/],
          moves: 'half-open>open',
        },
      ],
    ],
  ]),
  several(
    'same-error',
    'the same error five times, and nothing shows progress',
    Array.from({ length: 5 }, (_, i) => [
      { says: 'a', error: 'E' },
      i < 4
        ? [open, 'continue', { breaker: { sameError: i + 1 } }]
        : ['stuck/breaker', 'breaker-open', { reason: /Same error repeated 5 times/ }],
    ]),
  ),
  several('half-open-closes', 'half-open, then a change', [
    [{ says: 'a', evidence: { changed: false } }, [open, 'continue']],
    [{ says: 'a', evidence: { changed: false } }, [open, 'warn']],
    [
      { says: 'a', evidence: { changed: true } },
      [open, 'continue', { breaker: { state: 'closed' }, moves: 'half-open>closed' }],
    ],
  ]),
  several('cooldown', 'after the cooldown one try is let through, and progress closes', [
    [{ says: 'a', given: broken }, ['stuck/breaker', 'breaker-open']],
    [{ says: 'b', after: 10, evidence: { changed: true } }, ['stuck/breaker', 'breaker-open']],
    [
      { says: 'c', after: 25, evidence: { changed: true } },
      [open, 'continue', { breaker: { state: 'closed', opens: 1 }, moves: 'open>half-open half-open>closed' }],
    ],
  ]),
  several('breaker-reset', 'a person closes the breaker', [
    [{ says: 'a', given: broken }, ['stuck/breaker', 'breaker-open']],
    [{ says: 'b', before: 'breaker reset' }, [open, 'continue', { breaker: { state: 'closed' } }]],
  ]),
  several('breaker-new-run', 'the breaker belongs to its run: a new one starts closed, with counters at zero', [
    [{ says: 'a', given: broken }, ['stuck/breaker', 'breaker-open']],
    [
      { says: 'b', before: 'new run', evidence: { changed: false } },
      [open, 'continue', { breaker: { state: 'closed', noProgress: 1, gateBlocked: 1 } }],
    ],
  ]),
  several(
    'breaker-lasts',
    'unless the settings let it last',
    [
      [{ says: 'a', given: broken }, ['stuck/breaker', 'breaker-open']],
      [{ says: 'b', before: 'new run' }, ['stuck/breaker', 'breaker-open']],
    ],
    { config: { breaker: { autoReset: false } } },
  ),
  several(
    'breaker-off',
    'turned off',
    Array.from({ length: 4 }, () => [
      { says: 'a', evidence: { changed: false } },
      [open, 'continue', { breaker: { state: 'closed' } }],
    ]),
    { config: { breaker: { enabled: false } } },
  ),
  one('stalled', 'the agent timed out', { says: 'a', stalled: { kind: 'overall', minutes: 30 } }, [
    'stuck/breaker',
    'breaker-open',
    { reason: /No activity for 30 minutes/ },
  ]),

  several(
    'same-task',
    'one task fails three times',
    Array.from({ length: 3 }, (_, i) => [
      { failed: 'exit 1', task: '7' },
      i < 2
        ? [open, i === 0 ? 'continue' : 'warn']
        : ['stuck/same-task', 'same-task', { reason: 'Same task failed 3 times. Exit 1.' }],
    ]),
    { config: { breaker: { noProgress: 9 } } },
  ),
  several(
    'breaker-same-task',
    'the breaker comes before the task',
    Array.from({ length: 3 }, (_, i) => [
      { failed: 'exit 1', task: '7' },
      i < 2 ? [open, i === 0 ? 'continue' : 'warn'] : ['stuck/breaker', 'breaker-open'],
    ]),
  ),
  several(
    'other-task',
    'another task, or a success, restarts the count',
    [
      [{ failed: 'x', task: '7' }, [open, 'continue', { streaks: { sameTask: 1 } }]],
      [{ failed: 'x', task: '8' }, [open, 'continue', { streaks: { sameTask: 1 } }]],
      [{ task: '8' }, [open, 'continue', { streaks: { sameTask: 0 } }]],
      [{ failed: 'x', task: '8' }, [open, 'continue', { streaks: { sameTask: 1 } }]],
    ],
    { config: { breaker: { enabled: false } } },
  ),
]
