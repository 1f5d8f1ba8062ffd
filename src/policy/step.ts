import type { BreakerTransition, Facts, Observation, Policy, Verdict } from '../types.ts'
import { reset } from './breaker.ts'
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
  const looked = look(before, observation, policy, at)
  const { facts } = looked
  const verdict = decide(facts, policy)
  const succeeded = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  const phase = verdict.action === 'advance' ? verdict.phase : facts.phase
  return {
    facts,
    verdict,
    after: {
      ...(phase === undefined ? {} : { phase }),
      phaseIteration: verdict.action === 'advance' ? 0 : facts.phaseIteration,
      streaks: facts.streaks,
      // Success is asked before the breaker is charged: an iteration that succeeded is never held against the run.
      breaker: verdict.action === 'advance' ? reset(facts.breaker) : succeeded ? facts.breaker : facts.charged,
      total: facts.total,
      trees: facts.trees,
    },
    transitions: succeeded ? looked.rested : [...looked.rested, ...looked.charged],
  }
}
