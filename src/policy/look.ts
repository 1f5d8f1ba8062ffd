import type { Breaker, BreakerTransition, EvidenceSet, Facts, Observation, Policy, Spent, Streaks } from '../types.ts'
import { charge, reset, rest } from './breaker.ts'
import { gateOf } from './rules/gate.ts'
import { advanceStreaks } from './streaks.ts'

/** What the state brings into an iteration. */
export interface Before {
  /** Iterations decided before this one. */
  readonly iterations: number
  readonly phase?: string
  readonly phaseIteration: number
  readonly streaks: Streaks
  readonly breaker: Breaker
  readonly total: Spent
  readonly trees: readonly string[]
  readonly previous?: Observation
  readonly baseline?: EvidenceSet
}

export interface Looked {
  readonly facts: Facts
  readonly rested: readonly BreakerTransition[]
  readonly charged: readonly BreakerTransition[]
}

/** Put the state and this iteration's observation together into facts. Pure: the clock comes in as `at`. */
export function look(before: Before, observation: Observation, policy: Policy, at: number): Looked {
  const rested = rest(breakerOf(before.breaker, observation), policy.breaker, at)
  const { phase: asked, ...observed } = observation
  const phase = asked ?? before.phase ?? policy.phases?.[0]
  const tree = treeOf(observation)
  const bare: Facts = {
    ...observed,
    at,
    iteration: before.iterations + 1,
    ...(phase === undefined ? {} : { phase }),
    phaseIteration: observation.given?.phaseIteration ?? (phase === before.phase ? before.phaseIteration + 1 : 1),
    streaks: before.streaks,
    breaker: rested.breaker,
    charged: rested.breaker,
    total: add(before.total, observation.spent),
    trees: tree === '' ? before.trees : [...before.trees, tree].slice(-12),
    ...(before.previous === undefined ? {} : { previous: before.previous }),
    ...(before.baseline === undefined ? {} : { baseline: before.baseline }),
  }
  const counted: Facts = { ...bare, streaks: advanceStreaks(bare, policy.streaks) }
  const charged = charge(rested.breaker, policy.breaker, {
    progress: policy.progress(counted).answer,
    ...(observation.signals.error === undefined ? {} : { error: observation.signals.error }),
    failed: observation.failed !== undefined,
    gateOpen: gateOf(policy.claim, policy.proof)(counted).answer === 'yes',
    size: observation.signals.length,
    denied: observation.signals.denials.length > 0,
    ...(observation.stalled === undefined ? {} : { stalled: observation.stalled }),
    ...(phase === undefined ? {} : { phase }),
    held: policy.breaker.hold?.(counted).answer === 'yes',
    at,
  })
  return { facts: { ...counted, charged: charged.breaker }, rested: rested.transitions, charged: charged.transitions }
}

/** The breaker as remembered, unless the caller has one of its own. */
function breakerOf(remembered: Breaker, { given }: Observation): Breaker {
  if (given?.breaker === undefined) return remembered
  const { state, reason = 'the caller says so' } = given.breaker
  return state === 'closed' ? reset(remembered) : { ...remembered, state, reason }
}

function treeOf(observation: Observation): string {
  return Object.values(observation.evidence).find((evidence) => evidence.tree !== '')?.tree ?? ''
}

function add(a: Spent, b: Spent): Spent {
  return { ms: a.ms + b.ms, tokens: a.tokens + b.tokens, usd: a.usd + b.usd }
}
