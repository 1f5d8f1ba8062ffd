import { done, failing, green, one, open, several, verified } from './default.ts'
import type { Row, Turn } from './row.ts'

const at = (tree: string): Turn => ({ says: 'a', tree, evidence: { changed: true } })
const claim: Turn = { says: done, evidence: { ...failing } }
const claimed = (passed: number): Turn => ({
  says: done,
  evidence: { tests: { total: 10, passed, failed: 10 - passed }, changed: true },
})
/** A test was removed; nothing else is missing. */
const weakened: Turn = { says: done, evidence: { ...green, tampering: false }, toAccept: ['tampering'] }
/** Nothing but the proof is missing. */
const unproven: Turn = { says: done, evidence: { ...green, proven: false }, toAccept: ['proven'] }
const BOTH = ['tampering', 'proven']
const silent: Turn = { says: done, evidence: { changed: true } }
const flaking: Turn = {
  says: done,
  evidence: { tests: { answer: 'unknown' }, flakes: { answer: 'unknown' }, changed: true },
}
const blocked: Turn = {
  says: 'EXIT_STATUS: BLOCKED\nEXIT_REASON: the password of the database\n',
  evidence: { changed: true },
}

/** Why a run of the default preset ends without success, and in which order. */
export const defaultStops: readonly Row[] = [
  several('oscillation', 'A B A B A: three returns to an earlier state', [
    [at('A'), [open, 'continue']],
    [at('B'), [open, 'continue']],
    [at('A'), [open, 'continue']],
    [at('B'), [open, 'continue']],
    [at('A'), ['stuck/oscillation', 'oscillation', { reason: /went back to an earlier state 3 times in the last 5/ }]],
  ]),
  several('oscillation-three', 'A B C A B C: three states in a circle', [
    ...['A', 'B', 'C', 'A', 'B'].map((tree) => [at(tree), [open, 'continue']] as const),
    [at('C'), ['stuck/oscillation', 'oscillation']],
  ]),
  several(
    'no-oscillation',
    'a new state is not a return to an earlier one',
    ['A', 'B', 'C', 'D', 'E', 'F'].map((tree) => [at(tree), [open, 'continue']]),
  ),
  several('standing-still', 'standing still is for the breaker, not for oscillation', [
    [at('A'), [open, 'continue']],
    [at('A'), [open, 'continue', { breaker: { noProgress: 1 } }]],
    [at('A'), [open, 'warn', { breaker: { noProgress: 2 } }]],
    [at('A'), ['stuck/breaker', 'breaker-open']],
  ]),
  several('oscillation-forgotten', 'only the last twelve states are remembered', [
    ...['A', 'B', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N'].map(
      (tree) => [at(tree), [open, 'continue']] as const,
    ),
    [at('C'), [open, 'continue']],
  ]),
  several(
    'standing-still-long',
    'no change is never oscillation, however long',
    Array.from({ length: 8 }, () => [at('A'), [open, 'continue']]),
    { config: { breaker: { enabled: false } } },
  ),
  several('oscillation-success', 'a way back that ends well ends well', [
    ...['A', 'B', 'A', 'B'].map((tree) => [at(tree), [open, 'continue']] as const),
    [{ says: done, tree: 'A', evidence: green }, verified],
  ]),

  several('hollow', 'three claims in a row that the proof refutes', [
    [claim, [open, 'warn', { streaks: { hollowClaims: 1 } }]],
    [claim, [open, 'warn', { streaks: { hollowClaims: 2 } }]],
    [
      claim,
      ['stuck/hollow-claims', 'hollow-claims', { streaks: { hollowClaims: 3 }, missing: [/2 of 10 tests fail/] }],
    ],
  ]),
  several('hollow-better', 'claims while it gets better are not hollow', [
    [claimed(5), [open, 'warn', { streaks: { hollowClaims: 1 } }]],
    [claimed(6), [open, 'warn', { streaks: { hollowClaims: 0 } }]],
    [claimed(7), [open, 'warn', { streaks: { hollowClaims: 0 } }]],
    [claimed(7), [open, 'warn', { streaks: { hollowClaims: 1 } }]],
  ]),
  several(
    'hollow-baseline',
    'better than the baseline is progress',
    [[claimed(5), [open, 'warn', { streaks: { hollowClaims: 0 } }]]],
    {
      baseline: { tests: { total: 10, passed: 3, failed: 7 } },
    },
  ),
  several('hollow-pause', 'an iteration that claims nothing begins the count again', [
    [claim, [open, 'warn', { streaks: { hollowClaims: 1 } }]],
    [claim, [open, 'warn', { streaks: { hollowClaims: 2 } }]],
    [{ says: 'on it', evidence: failing }, [open, 'continue', { streaks: { hollowClaims: 0 } }]],
    [claim, [open, 'warn', { streaks: { hollowClaims: 1 } }]],
  ]),
  several(
    'hollow-vetoed',
    'a claim with remaining work is not an unverified claim',
    Array.from({ length: 4 }, () => [
      { says: 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: the docs\n', evidence: failing },
      [open, 'warn', { streaks: { hollowClaims: 0 } }],
    ]),
  ),
  several('hollow-limit', 'how many is a setting', [[claim, ['stuck/hollow-claims', 'hollow-claims']]], {
    config: { hollowClaims: 1 },
  }),
  several('breaker-hollow', 'the breaker is asked before the claims', [
    [{ says: done, evidence: { ...failing, changed: false } }, [open, 'warn']],
    [{ says: done, evidence: { ...failing, changed: false } }, [open, 'warn']],
    [{ says: done, evidence: { ...failing, changed: false } }, ['stuck/breaker', 'breaker-open']],
  ]),

  several('unverifiable', 'three claims that no check can answer', [
    [silent, [open, 'warn', { proof: 'unknown', streaks: { unverifiable: 1 } }]],
    [silent, [open, 'warn', { streaks: { unverifiable: 2 } }]],
    [
      silent,
      [
        'aborted/unverifiable',
        'unverifiable',
        {
          reason: /no check could answer\. Pass --test/,
          missing: ['no test command found. Pass --test "..." or set commands.test'],
        },
      ],
    ],
  ]),
  several(
    'unverifiable-flaky',
    'flaky tests are not a missing command',
    [[flaking, ['aborted/unverifiable', 'unverifiable', { reason: /different results on the same code: fix them/ }]]],
    { config: { unverifiable: 1 } },
  ),
  several('unverifiable-answered', 'an answer begins the count again', [
    [silent, [open, 'warn', { streaks: { unverifiable: 1 } }]],
    [claim, [open, 'warn', { streaks: { unverifiable: 0, hollowClaims: 1 } }]],
    [silent, [open, 'warn', { streaks: { unverifiable: 1, hollowClaims: 0 } }]],
  ]),

  several(
    'cap',
    'a limit of three allows three iterations',
    [
      [{ says: 'a' }, [open, 'continue']],
      [{ says: 'a' }, [open, 'continue']],
      [
        { says: 'a' },
        ['aborted/iterations', 'iterations', { reason: /^3 of 3 iterations used\. The agent has not reported/ }],
      ],
    ],
    { config: { limits: { iterations: 3 } } },
  ),
  one(
    'time',
    'the time limit is reached',
    { says: 'a', spent: { ms: 61 * 60_000 } },
    ['aborted/time', 'time', { reason: /^61 of 60 minutes used\. The agent has not reported/ }],
    { config: { limits: { minutes: 60 } } },
  ),
  several(
    'cost',
    'the cost limit is reached and reported',
    [
      [{ says: 'a', spent: { usd: 3 } }, [open, 'continue']],
      [
        { says: 'a', spent: { usd: 2.5 } },
        ['aborted/cost', 'cost', { reason: /^\$5\.50 of \$5\.00 spent\. The agent has not reported/ }],
      ],
    ],
    { config: { limits: { usd: 5, iterations: 50 } } },
  ),
  one('tokens', 'the token limit is reached', { says: 'a', spent: { tokens: 1000 } }, ['aborted/tokens', 'tokens'], {
    config: { limits: { tokens: 1000 } },
  }),
  one(
    'below',
    'just below every limit',
    { says: 'a', spent: { ms: 59_999, usd: 0.99, tokens: 999 } },
    [open, 'continue'],
    {
      config: { limits: { iterations: 2, minutes: 1, usd: 1, tokens: 1000 } },
    },
  ),
  one(
    'first-limit',
    'several limits at once: the first one is reported',
    { says: 'a', spent: { ms: 9e9, usd: 9 } },
    ['aborted/time', 'time'],
    { config: { limits: { minutes: 1, usd: 1 } } },
  ),
  several(
    'hollow-cap',
    'unverified claims come before the iteration limit',
    [
      [claim, [open, 'warn']],
      [claim, [open, 'warn']],
      [claim, ['stuck/hollow-claims', 'hollow-claims']],
    ],
    { config: { limits: { iterations: 3 } } },
  ),
  several(
    'unverifiable-cap',
    'and so do claims that cannot be verified',
    [
      [silent, [open, 'warn']],
      [silent, [open, 'warn']],
      [silent, ['aborted/unverifiable', 'unverifiable']],
    ],
    { config: { limits: { iterations: 3 } } },
  ),

  several('needs-accept', 'only changes to the tests are left: one more try, then the user decides', [
    [weakened, [open, 'warn', { claim: 'yes', proof: 'no', streaks: { undecided: 1 } }]],
    [
      weakened,
      [
        'aborted/needs-human',
        'needs-accept',
        { reason: /^Only you can decide about 1 change to the tests: \w{5} \(a\.test\.js: It was removed\)/ },
      ],
    ],
  ]),
  several(
    'needs-accept-blocked',
    'the same if the agent then says that it is blocked by it',
    [
      [weakened, [open, 'warn']],
      [
        { ...weakened, says: 'EXIT_STATUS: BLOCKED\nEXIT_REASON: the user must decide about the test\n' },
        ['aborted/needs-human', 'needs-accept'],
      ],
    ],
    { config: { blocked: 5 } },
  ),
  several('needs-accept-more', 'a test that fails as well is the work of the agent', [
    [{ ...weakened, evidence: { ...failing, tampering: false } }, [open, 'warn', { streaks: { undecided: 0 } }]],
    [{ ...weakened, evidence: { ...failing, tampering: false } }, [open, 'warn', { streaks: { undecided: 0 } }]],
  ]),
  several('needs-accept-accepted', 'an accepted change no longer counts', [
    [weakened, [open, 'warn']],
    [{ says: done, evidence: { ...green, tampering: true } }, ['completed/verified', 'gate']],
  ]),
  several('needs-accept-undone', 'the agent undid the change and works on', [
    [weakened, [open, 'warn']],
    [{ says: 'I restored it.', evidence: green }, [open, 'warn', { streaks: { undecided: 0 } }]],
    [weakened, [open, 'warn', { streaks: { undecided: 1 } }]],
  ]),
  several('unproven', 'nothing proves the work: one more try, then the run ends', [
    [unproven, [open, 'warn', { claim: 'yes', proof: 'no', streaks: { unproven: 1 } }]],
    [
      unproven,
      ['aborted/unproven', 'unproven', { reason: /^the tests pass, but nothing shows .* also after one more try/ }],
    ],
  ]),
  several('unproven-between', 'also with other iterations between the two claims', [
    [unproven, [open, 'warn']],
    [{ says: 'I will add a test.', evidence: green }, [open, 'warn', { streaks: { unproven: 1 } }]],
    [{ says: done, evidence: failing }, [open, 'warn', { streaks: { unproven: 1 } }]],
    [unproven, ['aborted/unproven', 'unproven']],
  ]),
  several('unproven-shown', 'a test after the first refusal', [
    [unproven, [open, 'warn']],
    [{ says: done, evidence: green }, ['completed/verified', 'gate', { reason: /the work is proven/ }]],
  ]),
  several('unproven-accepted', 'accepted, it is passed and not verified', [
    [unproven, [open, 'warn']],
    [
      { says: done, evidence: { ...green, proven: 'unknown' } },
      ['completed/passed', 'gate', { reason: /^Passed, not proven: the agent reported COMPLETE, / }],
    ],
  ]),
  several('unproven-weakened', 'weakened tests as well are for the user to decide', [
    [{ ...unproven, evidence: { ...green, proven: false, tampering: false }, toAccept: BOTH }, [open, 'warn']],
    [
      { ...unproven, evidence: { ...green, proven: false, tampering: false }, toAccept: BOTH },
      ['aborted/needs-human', 'needs-accept'],
    ],
  ]),
  several(
    'unproven-cap',
    'it comes before the limits',
    [
      [unproven, [open, 'warn']],
      [unproven, ['aborted/unproven', 'unproven']],
    ],
    { config: { limits: { iterations: 2 } } },
  ),
  one(
    'passed',
    'no proof was required, or none was looked for',
    { says: done, evidence: { ...green, proven: 'unknown' } },
    ['completed/passed', 'gate'],
  ),
  one('needs-human', 'the agent reports a blocker that only the user can resolve', blocked, [
    'aborted/needs-human',
    'needs-human',
    { reason: 'the agent is blocked: the password of the database' },
  ]),
  several(
    'needs-human-twice',
    'twice in a row, when so configured',
    [
      [blocked, [open, 'continue', { streaks: { blocked: 1 } }]],
      [blocked, ['aborted/needs-human', 'needs-human']],
    ],
    { config: { blocked: 2 } },
  ),
  one('cap-needs-human', 'limits come before the blocker', blocked, ['aborted/iterations', 'iterations'], {
    config: { limits: { iterations: 1 } },
  }),
  several('new-run', 'a new run begins every count again', [
    [claim, [open, 'warn', { streaks: { hollowClaims: 1 } }]],
    [claim, [open, 'warn', { streaks: { hollowClaims: 2 } }]],
    [{ ...claim, before: 'new run' }, [open, 'warn', { streaks: { hollowClaims: 1 } }]],
  ]),
]
