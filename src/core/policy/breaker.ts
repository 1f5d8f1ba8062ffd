import { count } from '../../../packages/core/src/count.ts'
import type { Answer, Breaker, BreakerLimits, BreakerPolicy, BreakerState, BreakerTransition } from '../types.ts'

/** What one iteration tells the breaker. */
export interface Charge {
  readonly progress: Answer
  readonly error?: string
  readonly failed: boolean
  readonly gateOpen: boolean
  readonly size: number
  readonly denied: boolean
  readonly stalled?: { readonly kind: 'overall' | 'activity'; readonly minutes: number }
  readonly phase?: string
  readonly held: boolean
  readonly at: number
}

export interface Charged {
  readonly breaker: Breaker
  readonly transitions: readonly BreakerTransition[]
}

export const CLOSED: Breaker = {
  state: 'closed',
  noProgress: 0,
  sameError: 0,
  gateBlocked: 0,
  failures: 0,
  denials: 0,
  loops: 0,
  sizes: [],
  opens: 0,
}

/** Before an iteration: after its cooldown, an open breaker allows one try. A clock that was set back keeps it open. */
export function rest(breaker: Breaker, policy: BreakerPolicy, at: number): Charged {
  // A disabled breaker is closed, whatever an earlier run left.
  if (!policy.enabled) return { breaker: breaker.state === 'closed' ? breaker : reset(breaker), transitions: [] }
  const cooled =
    breaker.state === 'open' &&
    policy.recovery === 'cooldown' &&
    breaker.openedAt !== undefined &&
    at - breaker.openedAt >= policy.cooldownMinutes * 60_000
  if (!cooled) return { breaker, transitions: [] }
  return move(breaker, 'half-open', `the cooldown of ${count(policy.cooldownMinutes, 'minute')} is over`, at)
}

/** After an iteration without success: count, then open, half-open or close. */
export function charge(breaker: Breaker, policy: BreakerPolicy, what: Charge): Charged {
  if (!policy.enabled || what.held) return { breaker, transitions: [] }
  const counted = counts(breaker, policy, what)
  const limits: BreakerLimits = { ...policy.limits, ...(what.phase ? policy.phases?.[what.phase] : undefined) }
  const reason = tripReason(counted, limits, what, counted.noProgress > breaker.noProgress)
  const moved = what.progress === 'yes'
  if (breaker.state === 'open') {
    if (policy.recovery === 'progress' && moved && !reason) return move(counted, 'closed', 'progress was made', what.at)
    return { breaker: counted, transitions: [] }
  }
  if (reason) {
    // A limit at the half-open count opens at once; the journal still shows the half-open step.
    const half = breaker.state === 'closed' && counted.noProgress >= policy.halfOpenAt
    const first = half
      ? move(counted, 'half-open', noProgressWords(counted), what.at)
      : { breaker: counted, transitions: [] }
    const second = move(first.breaker, 'open', reason, what.at)
    return { breaker: second.breaker, transitions: [...first.transitions, ...second.transitions] }
  }
  if (counted.noProgress >= policy.halfOpenAt && breaker.state === 'closed')
    return move(counted, 'half-open', noProgressWords(counted), what.at)
  if (breaker.state === 'half-open' && moved) return move(counted, 'closed', 'progress was made', what.at)
  return { breaker: counted, transitions: [] }
}

function counts(breaker: Breaker, policy: BreakerPolicy, what: Charge): Breaker {
  // An agent that was cut off after it changed files and fixed tests still made progress.
  const still =
    what.progress === 'no' || (what.progress !== 'yes' && (what.failed || declined(breaker.sizes, policy, what.size)))
  const noProgress = still ? breaker.noProgress + 1 : what.progress === 'yes' ? 0 : breaker.noProgress
  const { errorKey: _gone, ...rest } = breaker
  const excused = what.progress === 'yes' && !policy.despiteProgress
  const repeated = what.error === breaker.errorKey && !excused
  return {
    ...rest,
    noProgress,
    sameError: what.error === undefined ? 0 : repeated ? breaker.sameError + 1 : 1,
    ...(what.error === undefined ? {} : { errorKey: what.error }),
    gateBlocked: what.gateOpen ? 0 : breaker.gateBlocked + 1,
    failures: what.failed && !excused ? breaker.failures + 1 : 0,
    denials: what.denied ? breaker.denials + 1 : 0,
    loops: breaker.loops + 1,
    sizes: [...breaker.sizes, what.size].slice(-5),
  }
}

/** The output shrank below the configured share of the average of earlier iterations. */
function declined(sizes: readonly number[], policy: BreakerPolicy, size: number): boolean {
  if (policy.outputDecline === undefined || sizes.length === 0) return false
  const average = sizes.reduce((sum, each) => sum + each, 0) / sizes.length
  return size < (average * policy.outputDecline) / 100
}

const noProgressWords = (breaker: Breaker): string => `No progress for ${count(breaker.noProgress, 'iteration')}`

/** Lack of progress opens the breaker only in an iteration that added to it, not in one with no information. */
function tripReason(breaker: Breaker, limits: BreakerLimits, what: Charge, stood: boolean): string | undefined {
  if (what.stalled) return stallWords(what.stalled)
  const over = (n: number, limit: number | undefined) => limit !== undefined && n >= limit
  if (over(breaker.denials, limits.denials))
    return `The agent's CLI denied its tools in ${count(breaker.denials, 'iteration')} in a row`
  if (stood && over(breaker.noProgress, limits.noProgress)) return noProgressWords(breaker)
  if (over(breaker.sameError, limits.sameError)) return `Same error repeated ${count(breaker.sameError, 'time')}`
  if (over(breaker.gateBlocked, limits.gateBlocked)) return 'Exit gate not passing'
  if (over(breaker.failures, limits.failures)) return `${count(breaker.failures, 'failed iteration')} in a row`
  if (over(breaker.loops, limits.loops)) return `${count(breaker.loops, 'iteration')} since the last reset`
  return undefined
}

/** The exact text of cub's timeout breaker. */
export function stallWords({ kind, minutes }: { kind: 'overall' | 'activity'; minutes: number }): string {
  const whole = Math.max(1, Math.floor(minutes))
  return kind === 'overall'
    ? `Circuit breaker tripped: No activity for ${whole} minutes. The harness appears to be hung or unresponsive.`
    : `Circuit breaker tripped: No streaming activity for ${whole} minutes. A subprocess may be stuck.`
}

function move(breaker: Breaker, to: BreakerState, reason: string, at: number): Charged {
  const transitions = [{ from: breaker.state, to, reason }]
  if (to === 'open')
    return { breaker: { ...breaker, state: to, openedAt: at, reason, opens: breaker.opens + 1 }, transitions }
  if (to === 'half-open') return { breaker: { ...breaker, state: to }, transitions }
  return close(breaker, reason)
}

/** After an iteration that succeeded. */
export function close(breaker: Breaker, reason: string): Charged {
  const transitions = breaker.state === 'closed' ? [] : [{ from: breaker.state, to: 'closed' as const, reason }]
  return { breaker: reset(breaker), transitions }
}

/** Closed with every count at zero, except how often it opened. */
export function reset(breaker: Breaker): Breaker {
  return { ...CLOSED, sizes: breaker.sizes, opens: breaker.opens }
}
