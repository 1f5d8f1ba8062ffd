import { count } from '../../packages/core/src/count.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { breakerOfNewRun } from '../core/journal/reduce.ts'
import { rest } from '../core/policy/breaker.ts'
import type { Policy } from '../core/types.ts'
import { afterMenu } from './controls.ts'
import { endEvent } from './ending.ts'
import type { Host } from './host.ts'
import { exhausted, nextCallAt } from './limits/budget.ts'
import type { Opening } from './opening.ts'
import type { SharedAnswer, SharedLimits, Start } from './shared-limits.ts'

/** How long to wait if the shared limits give no time. */
const ASK_AGAIN_MS = 10_000

/** Without a time, the run waits until the user resumes it. */
export interface Wait {
  readonly kind: 'waits'
  readonly until?: number
  readonly why: string
  readonly cause?: 'limit' | 'overload' | 'breaker'
}

/** Why the next iteration cannot start. */
export type UnmetPrecondition =
  | Wait
  | { readonly kind: 'ends'; readonly event: EventInput }
  | { readonly kind: 'breaker' }

/** Checked before every iteration, in this order: limits of the run, breaker, provider, iterations per hour, shared limits. */
export function unmetPrecondition(
  state: State,
  policy: Policy,
  at: number,
  shared?: SharedAnswer,
): UnmetPrecondition | undefined {
  const { config } = state
  if (config === undefined) return undefined
  const used = exhausted(state, config.limits)
  if (used !== undefined) return { kind: 'ends', event: endEvent(state, 'aborted', used.ending, used.reason) }
  const { breaker } = rest(state.counters.breaker, policy.breaker, at)
  if (policy.breaker.enabled && breaker.state === 'open') {
    const cooled = cooledAt(state, policy)
    if (!waitsForCooldown(state, policy) || cooled === undefined) return { kind: 'breaker' }
    return {
      kind: 'waits',
      until: cooled,
      why: `the circuit breaker is open (${breaker.reason ?? 'no reason was recorded'}); waiting for its cooldown`,
      cause: 'breaker',
    }
  }
  const { until = at, kind: cause = 'limit' } = state.limited ?? {}
  if (until > at) return { kind: 'waits', until, why: providerReason(cause), cause }
  const call = nextCallAt(state.starts ?? [], config.limits.callsPerHour, at)
  if (call !== undefined && call > at)
    return {
      kind: 'waits',
      until: call,
      why: `the limit is ${count(config.limits.callsPerHour ?? 0, 'iteration')} per hour`,
    }
  return unmetShared(state, at, shared)
}

/** The events that close a lasting breaker which an earlier run left open; undefined if it stays open. */
export async function closeBreaker(
  before: State,
  { config, policy }: Pick<Opening, 'config' | 'policy'>,
  at: number,
  menu: Host['menu'],
  signal: AbortSignal,
): Promise<readonly EventInput[] | undefined> {
  const state = { ...before, config }
  const { breaker } = rest(breakerOfNewRun(before, config), policy.breaker, at)
  if (breaker.state !== 'open' || waitsForCooldown(state, policy)) return []
  if (menu === undefined) return undefined
  const choice = await menu(state, state.last?.verdict, signal)
  // The new run starts with its first phase, so there is none to skip.
  const skipsPhase = choice.kind === 'skip' && policy.phases !== undefined
  const { ends, events } = afterMenu(skipsPhase ? { ...choice, kind: 'continue' } : choice, state, policy)
  return ends ? undefined : events
}

/** Asks the shared limits, unless the run can't start anyway: then it must not use up what others need. */
export async function askShared(
  shared: SharedLimits | undefined,
  state: State,
  policy: Policy,
  start: Start | undefined,
  at: number,
): Promise<{ readonly shared?: SharedAnswer }> {
  if (shared === undefined || start === undefined || unmetPrecondition(state, policy, at) !== undefined) return {}
  return { shared: await shared.ask({ run: state.run ?? '', ...start, at }) }
}

/** The reason mentions that the limit is shared: this run alone may have used very little. */
function unmetShared(state: State, at: number, shared: SharedAnswer | undefined): UnmetPrecondition | undefined {
  if (shared === undefined || shared.kind === 'go') return undefined
  if (shared.kind === 'waits')
    return {
      kind: 'waits',
      until: shared.until ?? at + ASK_AGAIN_MS,
      why: `${shared.why} (shared limit of all tasks)`,
    }
  const reason = `${shared.reason} (shared limit of all tasks)`
  return { kind: 'ends', event: endEvent(state, 'aborted', shared.ending, reason) }
}

/** Whether the run waits for an open breaker to cool down, instead of ending. */
export const waitsForCooldown = ({ config }: State, policy: Policy): boolean =>
  config?.breaker.onOpen === 'wait' && policy.breaker.recovery === 'cooldown'

function cooledAt({ counters: { breaker } }: State, policy: Policy): number | undefined {
  return breaker.openedAt === undefined ? undefined : breaker.openedAt + policy.breaker.cooldownMinutes * 60_000
}

const providerReason = (kind: 'limit' | 'overload'): string =>
  kind === 'limit' ? "the provider's rate limit is reached" : "the provider is overloaded or can't be reached"
