import type { State } from '../core/journal/events.ts'
import { rest } from '../core/policy/breaker.ts'
import { usedUp } from '../core/policy/rules/limits.ts'
import type { Ruled } from './standing-facts.ts'
import type { Stop } from './types.ts'

/** The end that a loop comes to before it starts another iteration: a used-up limit, or an open breaker. */
export function endBefore(state: State, { config, policy }: Ruled, at: number): Stop | undefined {
  const { iterations: iteration, counters } = state
  const used = usedUp(config.limits, { iteration, total: counters.total })
  if (used !== undefined) return { iteration, outcome: 'aborted', rule: used.ending, ...used }
  const { breaker } = rest(counters.breaker, policy.breaker, at)
  if (!policy.breaker.enabled || breaker.state !== 'open') return undefined
  const reason = `Circuit breaker is OPEN: ${breaker.reason ?? 'no reason was recorded'}`
  return { iteration, outcome: 'stuck', ending: 'breaker', rule: 'breaker', reason }
}

/** A loop that waits until the breaker has cooled down goes on later, with iterations that nobody has seen. */
export const waitsForIt = ({ ending }: Stop, { config, policy }: Ruled): boolean =>
  ending === 'breaker' && config.breaker.onOpen === 'wait' && policy.breaker.recovery === 'cooldown'
