import type { BreakerTransition, Facts, Observation, Policy, Verdict } from '../types.ts'
import { close } from './breaker.ts'
import { decide } from './decide.ts'
import { type Before, look } from './look.ts'

/** What the iteration leaves behind for the next one. */
export type After = Omit<Before, 'previous' | 'baseline' | 'iterations'>

export interface Step {
  readonly facts: Facts
  readonly verdict: Verdict
  readonly after: After
  readonly transitions: readonly BreakerTransition[]
}

/** One iteration from state and observation to verdict and counters: the loop, `check`, hooks and replay all come through here. */
export function step(before: Before, observation: Observation, policy: Policy, at: number): Step {
  const { facts, rested, charged } = look(before, observation, policy, at)
  const verdict = decide(facts, policy)
  const advances = verdict.action === 'advance'
  const succeeded = advances || (verdict.action === 'stop' && verdict.outcome === 'completed')
  const phase = advances ? verdict.phase : facts.phase
  // Success is asked before the breaker is charged: an iteration that succeeded is never held against the run.
  const { breaker, transitions } = succeeded
    ? close(facts.breaker, 'the iteration counts as a success')
    : { breaker: facts.charged, transitions: charged }
  return {
    facts,
    verdict,
    after: {
      ...(phase === undefined ? {} : { phase }),
      phaseIteration: advances ? 0 : facts.phaseIteration,
      streaks: facts.streaks,
      breaker,
      total: facts.total,
      trees: facts.trees,
    },
    transitions: [...rested, ...transitions],
  }
}
