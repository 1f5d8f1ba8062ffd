import { expect, it } from 'vitest'
import { finding } from '../../src/core/policy/finding.ts'
import { described } from '../../src/core/policy/rules/completion.ts'
import {
  breakerHalfOpen,
  claimWithoutProof,
  proofWithoutClaim,
  readingProblems,
} from '../../src/core/policy/rules/continue.ts'
import { agentFails, failureStreaks, refused } from '../../src/core/policy/rules/failing.ts'
import { limits, usedUp } from '../../src/core/policy/rules/limits.ts'
import { forced, forcedFor, interrupted } from '../../src/core/policy/rules/person.ts'
import { inPhase } from '../../src/core/policy/rules/phases.ts'
import {
  breakerOpen,
  breakerWasOpen,
  hollowClaims,
  oscillation,
  sameTask,
  stagnation,
} from '../../src/core/policy/rules/stuck.ts'
import type { Answer, Condition, Facts } from '../../src/core/types.ts'
import { facts } from './made-facts.ts'

const streak = (name: string, n: number, signals: object = {}, checks = {}) =>
  facts(checks, { streaks: { [name]: { n } } }, signals)
const trees = (...all: readonly string[]) => facts({}, { trees: all })
const spent = (iteration: number, ms = 0, usd = 0, tokens = 0) => facts({}, { iteration, total: { ms, usd, tokens } })
const failed = (cause: string | undefined, streaks: Record<string, number>, tokens = 0) =>
  facts(
    {},
    {
      failed: { reason: 'it broke', ...(cause === undefined ? {} : { cause }) },
      spent: { tokens },
      streaks: Object.fromEntries(Object.entries(streaks).map(([name, n]) => [name, { n }])),
    },
  )
const is =
  (answer: Answer): Condition =>
  () =>
    finding('n', answer, answer)
const breaker = (state: string, more: object = {}) => ({ state, noProgress: 2, ...more })
const LIMITS = limits({ iterations: 3, minutes: 2, usd: 1.5, tokens: 10 } as Parameters<typeof limits>[0])
const limit = (name: string) => LIMITS.find((rule) => rule.name === name)!.when
const rows: readonly [string, Condition, Facts, Answer, detail: string][] = [
  [
    'a refusal',
    refused.when,
    failed('refusal', { refused: 2 }),
    'yes',
    '2 iterations in a row failed and changed nothing: it broke',
  ],
  ['one refusal', refused.when, failed('refusal', { refused: 1 }), 'no', 'the model did not refuse the task'],
  ['another failure', refused.when, failed('crash', { refused: 2 }), 'no', 'the model did not refuse the task'],
  [
    'failures',
    agentFails(3).when,
    failed('crash', { failing: 3 }),
    'yes',
    '3 iterations in a row failed and changed nothing: it broke',
  ],
  [
    'not enough failures',
    agentFails(3).when,
    failed('crash', { failing: 2, sameFailure: 5 }),
    'no',
    'the agent does not keep failing',
  ],
  [
    'the same failure, also with changes',
    agentFails(3).when,
    failed('crash', { failing: 0, sameFailure: 6 }),
    'yes',
    '6 iterations in a row failed the same way: it broke',
  ],
  ['no cause', agentFails(3).when, failed(undefined, { failing: 9 }), 'no', 'the agent does not keep failing'],
  ['no failure', agentFails(0).when, facts({}, { spent: { tokens: 0 } }), 'no', 'the agent does not keep failing'],
  ['one outage without an answer', agentFails(3).when, failed('outage', { failing: 1 }), 'yes', 'it broke'],
  [
    'an outage after some answers',
    agentFails(3).when,
    failed('outage', { failing: 1 }, 5),
    'no',
    'the agent does not keep failing',
  ],
  [
    'another failure without an answer',
    agentFails(3).when,
    failed('crash', { failing: 1 }),
    'no',
    'the agent does not keep failing',
  ],
  ['a failure with a cause counts', failureStreaks.failing!.when, failed('crash', {}), 'yes', 'it broke; crash'],
  ['a failure without a cause does not', failureStreaks.failing!.when, failed(undefined, {}), 'no', ''],
  ['a refusal counts', failureStreaks.refused!.when, failed('refusal', {}), 'yes', 'it broke; refusal'],
  ['a crash is no refusal', failureStreaks.refused!.when, failed('crash', {}), 'no', 'crash'],
  [
    'a crash can be the same again',
    failureStreaks.sameFailure!.when,
    failed('crash', {}),
    'yes',
    'crash; nothing improved',
  ],
  ['a refusal is counted elsewhere', failureStreaks.sameFailure!.when, failed('refusal', {}), 'no', 'refusal'],

  ['no refusals', refused.when, failed('refusal', {}), 'no', 'the model did not refuse the task'],
  ['no failures', agentFails(3).when, failed('crash', {}), 'no', 'the agent does not keep failing'],
  ['no task', sameTask(2).when, facts(), 'no', 'Same task failed 0 times'],
  [
    'no claims',
    hollowClaims(2).when,
    facts(),
    'no',
    '0 claims in a row failed the checks, and nothing improved in between',
  ],
  ['the iterations are used', limit('iterations'), spent(3), 'yes', '3 of 3 iterations used'],
  ['one iteration is left', limit('iterations'), spent(2), 'no', '2 of 3 iterations used'],
  ['the time is used', limit('time'), spent(0, 120_000), 'yes', '2 of 2 minutes used'],
  ['some time is left', limit('time'), spent(0, 100_000), 'no', '1.67 of 2 minutes used'],
  ['the money is spent', limit('cost'), spent(0, 0, 1.5), 'yes', '$1.50 of $1.50 spent'],
  ['some money is left', limit('cost'), spent(0, 0, 1.25), 'no', '$1.25 of $1.50 spent'],
  ['the tokens are used', limit('tokens'), spent(0, 0, 0, 10), 'yes', '10 of 10 tokens used'],
  ['some tokens are left', limit('tokens'), spent(0, 0, 0, 9), 'no', '9 of 10 tokens used'],

  [
    'interrupted',
    interrupted.when,
    facts({}, { interrupted: true }),
    'yes',
    'you stopped the run (Ctrl+C or exitgate stop)',
  ],
  ['not interrupted', interrupted.when, facts({}, { interrupted: false }), 'no', 'not interrupted'],
  [
    'forced',
    forced.when,
    facts({}, { forced: { by: 'mia', reason: 'fine', scope: 'run' } }),
    'yes',
    'forced by mia (fine)',
  ],
  [
    'another scope',
    forcedFor('phase'),
    facts({}, { forced: { by: 'mia', reason: 'fine', scope: 'run' } }),
    'no',
    'not forced',
  ],
  ['not forced', forced.when, facts(), 'no', 'not forced'],
  ['in the phase', inPhase('A'), facts({}, { phase: 'A' }), 'yes', 'the phase is A'],
  ['in no phase', inPhase('A'), facts(), 'no', 'the phase is (none)'],

  [
    'an open breaker',
    breakerOpen.when,
    facts({}, { charged: breaker('open', { reason: 'r' }), breaker: breaker('closed') }),
    'yes',
    'Circuit breaker is OPEN: r',
  ],
  [
    'an open breaker without a reason',
    breakerOpen.when,
    facts({}, { charged: breaker('open') }),
    'yes',
    'Circuit breaker is OPEN: no reason recorded',
  ],
  [
    'a breaker that is not open',
    breakerOpen.when,
    facts({}, { charged: breaker('half-open') }),
    'no',
    'the circuit breaker is half-open',
  ],
  [
    'a breaker that was open',
    breakerWasOpen.when,
    facts({}, { charged: breaker('closed'), breaker: breaker('open', { reason: 'r' }) }),
    'yes',
    'Circuit breaker is OPEN: r',
  ],
  ['the same task', sameTask(2).when, streak('sameTask', 2), 'yes', 'Same task failed 2 times'],
  ['another task', sameTask(2).when, streak('sameTask', 1), 'no', 'Same task failed 1 time'],
  ['stagnation', stagnation('s', 'x', 2, (n) => `${n}!`).when, streak('x', 2), 'yes', '2!'],
  ['less of it', stagnation('s', 'x', 2, (n) => `${n}!`).when, facts(), 'no', '0!'],
  [
    'claims in a row',
    hollowClaims(2).when,
    streak('hollowClaims', 2),
    'yes',
    '2 claims in a row failed the checks, and nothing improved in between',
  ],
  [
    'one claim',
    hollowClaims(2).when,
    streak('hollowClaims', 1),
    'no',
    '1 claim in a row failed the checks, and nothing improved in between',
  ],
  [
    'back once',
    oscillation(1).when,
    trees('a', 'b', 'a'),
    'yes',
    'the files went back to an earlier state 1 time in the last 3 iterations',
  ],
  [
    'the same files',
    oscillation(1).when,
    trees('a', 'a', 'a'),
    'no',
    'the files went back to an earlier state 0 times in the last 3 iterations',
  ],
  [
    'no files',
    oscillation(1).when,
    trees('', 'a', ''),
    'no',
    'the files went back to an earlier state 0 times in the last 3 iterations',
  ],
  [
    'back and forth',
    oscillation(2).when,
    trees('a', 'b', 'a', 'b'),
    'yes',
    'the files went back to an earlier state 2 times in the last 4 iterations',
  ],
  [
    'always new',
    oscillation(1).when,
    trees('a', 'b', 'c'),
    'no',
    'the files went back to an earlier state 0 times in the last 3 iterations',
  ],

  ['an unproven claim', claimWithoutProof(is('yes'), is('no'), 'unproven'), facts(), 'yes', 'unproven'],
  ['a proven claim', claimWithoutProof(is('yes'), is('yes'), 'unproven'), facts(), 'no', 'no unproven claim'],
  ['no claim', claimWithoutProof(is('no'), is('no'), 'unproven'), facts(), 'no', 'no unproven claim'],
  [
    'an unclaimed proof',
    proofWithoutClaim(is('no'), is('yes')),
    facts(),
    'yes',
    'all checks pass, but the agent has not reported that it is done',
  ],
  ['a claimed proof', proofWithoutClaim(is('yes'), is('yes')), facts(), 'no', 'no unclaimed proof'],
  ['no proof', proofWithoutClaim(is('no'), is('no')), facts(), 'no', 'no unclaimed proof'],
  [
    'a half-open breaker',
    breakerHalfOpen,
    facts({}, { charged: breaker('half-open') }),
    'yes',
    'no progress for 2 iterations',
  ],
  [
    'a closed breaker',
    breakerHalfOpen,
    facts({}, { charged: breaker('closed') }),
    'no',
    'the circuit breaker is closed',
  ],
  ['problems in the block', readingProblems, facts({}, {}, { problems: ['a', 'b'] }), 'yes', 'a; b'],
  ['no problems', readingProblems, facts({}, {}, { problems: [] }), 'no', 'no problems in the status block'],
  [
    'a description',
    described('Done', () => finding('n', 'yes', 'old', [finding('own', 'yes', 'new')])),
    facts(),
    'yes',
    'Done: new.',
  ],
  ['without parts', described('Done', is('yes')), facts(), 'yes', 'yes'],
  ['of what did not pass', described('Done', () => finding('n', 'no', 'old', [])), facts(), 'no', 'old'],
]
it.each(rows)('%s', (_name, condition, seen, answer, detail) => {
  const found = condition(seen)
  expect([found.answer, found.detail]).toEqual([answer, detail])
})

it('the first limit that is used up ends the run, in the order of the rules', () => {
  const all = { iterations: 3, minutes: 2, usd: 1.5, tokens: 10 } as Parameters<typeof limits>[0]
  const endings = [spent(2), spent(3, 1e9), spent(2, 120_000, 2), spent(2, 0, 1.5, 10), spent(2, 0, 0, 10)].map(
    (each) => usedUp(all, each)?.ending,
  )
  expect(endings).toEqual([undefined, 'iterations', 'time', 'cost', 'tokens'])
  expect(usedUp({} as typeof all, spent(9))).toBeUndefined()
  expect(limits({} as typeof all)).toEqual([])
})
