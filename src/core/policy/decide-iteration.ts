import type { BreakerTransition, Facts, Observation, Policy, Verdict } from '../types.ts'
import { type Charged, close } from './breaker.ts'
import { decide } from './decide.ts'
import { type Before, look } from './look.ts'

/** What the iteration leaves behind for the next one. */
export type After = Omit<Before, 'previous' | 'baseline' | 'iterations'>

export interface DecidedIteration {
  readonly facts: Facts
  readonly verdict: Verdict
  readonly after: After
  readonly transitions: readonly BreakerTransition[]
}

/** One iteration from state and observation to verdict and counters: the loop, `check`, hooks and replay all come through here. */
export function decideIteration(
  before: Before,
  observation: Observation,
  policy: Policy,
  at: number,
): DecidedIteration {
  const { facts, rested, charged } = look(before, observation, policy, at)
  const verdict = decide(facts, policy)
  const advances = verdict.action === 'advance'
  const phase = advances ? verdict.phase : facts.phase
  const { breaker, transitions } = settle(verdict, facts, charged)
  return {
    facts,
    verdict,
    after: {
      ...(phase === undefined ? {} : { phase }),
      phaseIteration: advances ? 0 : facts.phaseIteration,
      streaks: cutShort(verdict) ? before.streaks : facts.streaks,
      breaker,
      total: facts.total,
      trees: facts.trees,
    },
    transitions: [...rested, ...transitions],
  }
}

/** Neither a success nor an iteration that a person cut short is ever held against the run. */
function settle(verdict: Verdict, facts: Facts, charged: readonly BreakerTransition[]): Charged {
  const succeeded = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  if (succeeded) return close(facts.breaker, 'the iteration counts as a success')
  if (cutShort(verdict)) return { breaker: facts.breaker, transitions: [] }
  return { breaker: facts.charged, transitions: charged }
}

const cutShort = (verdict: Verdict): boolean => verdict.action === 'stop' && verdict.outcome === 'interrupted'
