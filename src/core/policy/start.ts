import type { EvidenceSet, Observation, Signals } from '../types.ts'
import { CLOSED } from './breaker.ts'
import type { Before } from './look.ts'

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

/** An iteration in which nothing but words and evidence came to light. */
export function observation(signals: Signals, evidence: EvidenceSet, more: Partial<Observation> = {}): Observation {
  return { signals, evidence, spent: { ms: 0, tokens: 0, usd: 0 }, interrupted: false, ...more }
}
