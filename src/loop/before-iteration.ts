import type { EventInput, State } from '../core/journal/events.ts'
import { rest } from '../core/policy/breaker.ts'
import type { Policy } from '../core/types.ts'
import { endWithout } from './ending.ts'
import { exhausted } from './limits/budget.ts'
import { nextCallAt } from './limits/calls.ts'
import type { SharedAnswer } from './shared-limits.ts'

/** An answer without a time is asked for again. */
const ASK_AGAIN_MS = 10_000

/** What keeps the next iteration from starting. */
export type Hindrance =
  | { readonly kind: 'ends'; readonly happening: EventInput }
  | { readonly kind: 'waits'; readonly until?: number; readonly why: string }
  | { readonly kind: 'breaker' }

/** Asked before every iteration, in this order: used-up limits, the breaker, the provider, the calls of this hour, what others use. */
export function hindranceOf(state: State, policy: Policy, at: number, shared?: SharedAnswer): Hindrance | undefined {
  const { config } = state
  if (config === undefined) return undefined
  const used = exhausted(state, config.limits)
  if (used !== undefined) return { kind: 'ends', happening: endWithout(state, 'aborted', used.ending, used.reason) }
  const { breaker } = rest(state.counters.breaker, policy.breaker, at)
  if (policy.breaker.enabled && breaker.state === 'open') {
    const cooled = cooledAt(state, policy)
    if (!waitsForCooldown(state, policy) || cooled === undefined) return { kind: 'breaker' }
    return {
      kind: 'waits',
      until: cooled,
      why: `the breaker is open (${breaker.reason ?? 'no reason was recorded'}) and cools down`,
    }
  }
  if (state.limited !== undefined && state.limited.until > at)
    return { kind: 'waits', until: state.limited.until, why: waitingWords(state.limited.kind) }
  const call = nextCallAt(state.starts ?? [], config.limits.callsPerHour, at)
  if (call !== undefined && call > at)
    return { kind: 'waits', until: call, why: `${config.limits.callsPerHour} iterations an hour are allowed` }
  return ofOthers(state, at, shared)
}

/** A limit that the run has in common with others says so: this run alone may have used next to nothing. */
function ofOthers(state: State, at: number, shared: SharedAnswer | undefined): Hindrance | undefined {
  if (shared === undefined || shared.kind === 'go') return undefined
  if (shared.kind === 'waits')
    return {
      kind: 'waits',
      until: shared.until ?? at + ASK_AGAIN_MS,
      why: `${shared.why} (a limit of all tasks together)`,
    }
  const reason = `${shared.reason} (a limit of all tasks together)`
  return { kind: 'ends', happening: endWithout(state, 'aborted', shared.ending, reason) }
}

/** Whether an open breaker is waited for, where nobody sits at a terminal. */
export const waitsForCooldown = ({ config }: State, policy: Policy): boolean =>
  config?.breaker.onOpen === 'wait' && policy.breaker.recovery === 'cooldown'

function cooledAt({ counters: { breaker } }: State, policy: Policy): number | undefined {
  return breaker.openedAt === undefined ? undefined : breaker.openedAt + policy.breaker.cooldownMinutes * 60_000
}

const waitingWords = (kind: 'limit' | 'overload'): string =>
  kind === 'limit' ? "the provider's limit is reached" : 'the provider is overloaded or cannot be reached'
