import { expect, it } from 'vitest'
import { beforeOf } from '../../src/core/journal/before.ts'
import { eventInputsOf } from '../../src/core/journal/event-inputs.ts'
import { emptyState } from '../../src/core/journal/reduce.ts'
import type { DecidedIteration } from '../../src/core/policy/decide.ts'
import { AGENT_RULES } from '../../src/core/policy/rules/failing.ts'
import type { Decision, Facts, Observation } from '../../src/core/types.ts'
import { CONTINUE, DONE, observation, STUCK, verdict } from './samples.ts'

const after = emptyState().counters
const ABORTED = { action: 'stop', outcome: 'aborted', ending: 'agent' } as unknown as Decision
const failed: Observation = { ...observation, failed: { reason: 'no login', cause: 'login' } }
const moves = [
  { from: 'open', to: 'half-open', reason: 'rested' },
  { from: 'half-open', to: 'open', reason: 'still stuck' },
] as const

/** The events of iteration 3, in its phase's second iteration, after the event of the decision itself. */
function others(
  decision: Decision,
  {
    facts = {},
    seen = observation,
    rule = 'a rule',
    transitions = [],
  }: {
    facts?: Partial<Facts>
    seen?: Observation
    rule?: string
    transitions?: DecidedIteration['transitions']
  } = {},
) {
  const decided = { ...verdict(decision), rule }
  const events = eventInputsOf(seen, {
    facts: { iteration: 3, phaseIteration: 2, ...facts } as Facts,
    verdict: { ...decided, trace: [{ name: 'a', answer: 'yes', detail: '' }] },
    after,
    transitions,
  })
  const at = events.findIndex(({ type }) => type === 'iteration.decided')
  expect(events[at]).toEqual({ type: 'iteration.decided', iteration: 3, observation: seen, verdict: decided, after })
  return events.filter((_, i) => i !== at)
}

const phase = { type: 'phase.changed', iterations: 2, to: 'GREEN' }
const advance: Decision = { action: 'advance', phase: 'GREEN' }
const forced = { by: 'mia', reason: 'reviewed', scope: 'phase' } as const
const ended = { type: 'run.ended', reason: 'a reason', iteration: 3 }
const stuck = { ...ended, outcome: 'stuck', ending: 'breaker' }

const rows: readonly [string, () => readonly object[], readonly object[]][] = [
  ['to continue has no other event', () => others(CONTINUE), []],
  [
    'has the moves of the breaker',
    () => others(CONTINUE, { transitions: moves }),
    moves.map((move) => ({ type: 'breaker.changed', iteration: 3, ...move })),
  ],
  ['to advance', () => others(advance, { facts: { phase: 'RED' } }), [{ ...phase, from: 'RED', forced: false }]],
  ['to advance from no phase', () => others(advance), [{ ...phase, forced: false }]],
  [
    'to skip a phase',
    () => others(advance, { facts: { forced } }),
    [{ ...phase, forced: true, by: 'mia', reason: 'reviewed' }],
  ],
  ['that ends as stuck', () => others(STUCK), [stuck]],
  ['that ends as stuck after a failure', () => others(STUCK, { seen: failed }), [{ ...stuck, cause: 'login' }]],
  [
    "that ends because of the agent's errors",
    () => others(ABORTED, { seen: failed, rule: AGENT_RULES[0]! }),
    [{ ...ended, outcome: 'aborted', ending: 'agent', cause: 'login' }],
  ],
  [
    'that aborts for another reason',
    () => others(ABORTED, { seen: failed }),
    [{ ...ended, outcome: 'aborted', ending: 'agent' }],
  ],
  [
    'that completes in spite of a failure',
    () => others(DONE, { seen: failed }),
    [{ ...ended, outcome: 'completed', ending: 'verified' }],
  ],
]
it.each(rows)('a decision %s', (_name, events, expected) => {
  expect(events().map((event) => [event, Object.keys(event).sort()])).toEqual(
    expected.map((event) => [event, Object.keys(event).sort()]),
  )
})

it('the next decision starts from the counters, the previous iteration and the baseline', () => {
  expect(Object.keys(beforeOf(emptyState())).sort()).toEqual(['iterations', ...Object.keys(after)].sort())
  const state = { ...emptyState(), iterations: 4, previous: observation, baseline: observation.evidence }
  expect(beforeOf(state)).toEqual({ ...after, iterations: 4, previous: observation, baseline: observation.evidence })
})
