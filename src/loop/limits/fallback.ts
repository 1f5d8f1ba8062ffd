import type { EventInput, State } from '../../core/journal/events.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { Refused } from './provider.ts'

export type AgentSwitched = Extract<EventInput, { type: 'agent.switched' }>

const MINUTE = 60_000
/** A shorter wait is not worth another agent, which has to read everything again. */
const SHORT_WAIT = 5 * MINUTE
/** Overloads in a row after which the fallback takes over. */
const OVERLOADS = 3
/** Failed iterations in a row. After a third one the run would end. */
const FAILURES = 2
/** After this time the first agent gets another chance, if the provider gives no time. */
const TRY_AGAIN = 30 * MINUTE

/** The fallback as people call it; undefined if there is none. */
export function fallbackName({ agent, fallbackAgent, fallbackModel }: RunConfig): string | undefined {
  const model = fallbackModel === undefined ? '' : ` with model ${fallbackModel}`
  const name = fallbackAgent ?? (fallbackModel === undefined ? undefined : (agent ?? 'the agent'))
  return name === undefined ? undefined : `${name}${model}`
}

/** The fallback is another agent, and no arguments say what it may do. Most agents then only read. */
export const lacksPermissions = ({ agent, fallbackAgent, fallbackArgs = [] }: RunConfig): boolean =>
  fallbackAgent !== undefined && fallbackAgent !== agent && fallbackArgs.length === 0

/** Switches to the fallback if the provider refuses the first agent for longer than a few minutes. `until` is when it would be tried again. */
export function afterRefusal(
  refused: Refused,
  until: number | undefined,
  state: State,
  at: number,
): AgentSwitched | undefined {
  if (state.fallback !== undefined) return undefined
  if (refused.kind === 'overload') {
    const before = state.limited?.kind === 'overload' ? state.limited.n : 0
    return before < OVERLOADS ? undefined : toFallback(state, refused.message, at + TRY_AGAIN)
  }
  if (refused.kind === 'limit' && until !== undefined && until - at <= SHORT_WAIT) return undefined
  return toFallback(state, refused.message, until)
}

/** Before an iteration: back to the first agent when its limit is over, or to the fallback if the first one keeps failing. */
export function switchBefore(state: State, at: number): AgentSwitched | undefined {
  const { fallback, counters, previous } = state
  if (fallback !== undefined)
    return fallback.until !== undefined && at >= fallback.until
      ? { type: 'agent.switched', to: 'first', why: 'it may be available again' }
      : undefined
  const { breaker, streaks } = counters
  const failures = Math.max(
    breaker.sameError,
    breaker.failures ?? 0,
    streaks.sameTask?.n ?? 0,
    streaks.sameFailure?.n ?? 0,
  )
  if (previous?.failed === undefined || failures < FAILURES) return undefined
  return toFallback(state, previous.failed.reason, at + TRY_AGAIN)
}

function toFallback({ config }: State, why: string, until: number | undefined): AgentSwitched | undefined {
  if (config === undefined || fallbackName(config.run) === undefined) return undefined
  return { type: 'agent.switched', to: 'fallback', why, ...(until === undefined ? {} : { until }) }
}

/** One line about a switch. */
export function switchText({ to, why, until }: AgentSwitched, run: RunConfig): string {
  if (to === 'first') return `Back to ${run.agent ?? 'the first agent'}: ${why}.`
  const time = until === undefined ? '' : ` until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const permissions = lacksPermissions(run) ? ' It has its default permissions, because run.fallbackArgs is empty.' : ''
  return `Switched to the fallback ${fallbackName(run)}${time}: ${why.replace(/\.$/, '')}.${permissions}`
}
