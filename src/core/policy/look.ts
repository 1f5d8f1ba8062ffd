import type {
  Breaker,
  BreakerTransition,
  Counters,
  EvidenceSet,
  Facts,
  Observation,
  Policy,
  Signals,
  Spent,
  Streak,
  StreakPolicy,
  Streaks,
} from '../types.ts'
import { type Charged, CLOSED, charge, reset, rest } from './breaker.ts'
import { gateOf } from './rules/completion.ts'

/** The state before an iteration. */
export interface Before extends Omit<Counters, 'iteration'> {
  /** Iterations decided before this one. */
  readonly iterations: number
  readonly previous?: Observation
  readonly baseline?: EvidenceSet
}

/** The state before the first iteration. */
export function start(): Before {
  return {
    iterations: 0,
    phaseIteration: 0,
    streaks: {},
    breaker: CLOSED,
    total: { ms: 0, tokens: 0, usd: 0 },
    trees: [],
  }
}

/** An observation with only signals and evidence. */
export function observation(signals: Signals, evidence: EvidenceSet, more: Partial<Observation> = {}): Observation {
  return { signals, evidence, spent: { ms: 0, tokens: 0, usd: 0 }, interrupted: false, ...more }
}

export interface Looked {
  readonly facts: Facts
  readonly rested: readonly BreakerTransition[]
  readonly charged: readonly BreakerTransition[]
}

/** Combines the state and this iteration's observation into facts. Pure: the time is `at`. */
export function look(before: Before, observation: Observation, policy: Policy, at: number): Looked {
  const rested = restOf(before.breaker, observation, policy, at)
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

/** The remembered breaker, unless the caller passes its own state. */
function restOf(remembered: Breaker, { given }: Observation, policy: Policy, at: number): Charged {
  if (given?.breaker === undefined) return rest(remembered, policy.breaker, at)
  const { state, reason = 'set by the caller' } = given.breaker
  if (state === 'closed') return { breaker: reset(remembered), transitions: [] }
  const opens = state === 'open' && remembered.state !== 'open'
  const opened = opens ? { openedAt: at, opens: remembered.opens + 1 } : {}
  return { breaker: { ...remembered, state, reason, ...opened }, transitions: [] }
}

function treeOf(observation: Observation): string {
  return Object.values(observation.evidence).find((evidence) => evidence.tree !== '')?.tree ?? ''
}

function add(a: Spent, b: Spent): Spent {
  return { ms: a.ms + b.ms, tokens: a.tokens + b.tokens, usd: a.usd + b.usd }
}

/** Advances every streak by this iteration. `facts` has the previous streaks. */
function advanceStreaks(facts: Facts, policies: Readonly<Record<string, StreakPolicy>>): Streaks {
  const next: Record<string, Streak> = {}
  for (const [name, policy] of Object.entries(policies)) next[name] = advance(facts.streaks[name], facts, policy)
  return next
}

function advance(before: Streak | undefined, facts: Facts, policy: StreakPolicy): Streak {
  if (policy.hold?.(facts).answer === 'yes') return before ?? { n: 0 }
  const counts = policy.when(facts).answer === 'yes'
  if (policy.window !== undefined) return inWindow(before, facts.iteration, policy.window, counts)
  if (!counts) return { n: 0 }
  const key = policy.key?.(facts)
  const continues = before !== undefined && before.n > 0 && before.key === key
  const n = continues ? before.n + 1 : 1
  return key === undefined ? { n } : { n, key }
}

function inWindow(before: Streak | undefined, iteration: number, window: number, counts: boolean): Streak {
  const recent = [...(before?.recent ?? []), ...(counts ? [iteration] : [])].filter((each) => each > iteration - window)
  return { n: recent.length, recent }
}
