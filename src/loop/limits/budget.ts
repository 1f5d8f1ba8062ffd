import { usageOfStart } from '../../../packages/exitgate/src/agents/session-usage.ts'
import type { LimitsConfig } from '../../core/config.ts'
import type { State } from '../../core/journal/events.ts'
import { usedUp } from '../../core/policy/rules/limits.ts'
import type { AgentProcess } from '../../core/run.ts'

export interface Share {
  readonly used: number
  readonly most: number
  /** Never below 0. */
  readonly left: number
}

/** What is used and left of each configured limit. */
export interface Budget {
  readonly iterations?: Share
  /** The minutes, in ms; the agent is stopped after `left`. */
  readonly ms?: Share
  readonly usd?: Share
  readonly tokens?: Share
}

/** What is left of the run's limits, counting the running iteration up to now. Waiting for a provider costs nothing. */
export function budgetLeft(state: State, limits: LimitsConfig, now: number): Budget {
  const { total } = state.counters
  const running = state.running === undefined ? 0 : Math.max(0, now - state.running.at)
  const minutes = limits.minutes === undefined ? undefined : limits.minutes * 60_000
  return {
    ...share('iterations', state.iterations, limits.iterations),
    ...share('ms', total.ms + running, minutes),
    ...share('usd', total.usd, limits.usd),
    ...share('tokens', total.tokens, limits.tokens),
  }
}

function share(name: keyof Budget, used: number, most: number | undefined): Budget {
  return most === undefined ? {} : { [name]: { used, most, left: Math.max(0, most - used) } }
}

/** The limit that prevents another iteration. A resumed run may already have used it up. */
export function exhausted(state: State, limits: LimitsConfig): ReturnType<typeof usedUp> {
  return usedUp(limits, { iteration: state.iterations, total: state.counters.total })
}

const HOUR = 3_600_000

/** When the next start of the agent is allowed, if not now: at most `callsPerHour` in any hour. */
export function nextCallAt(
  starts: readonly number[],
  callsPerHour: number | undefined,
  now: number,
): number | undefined {
  if (callsPerHour === undefined) return undefined
  // A clock that was set back must not make us wait longer than an hour.
  const within = starts.map((start) => Math.min(start, now)).filter((start) => now - start < HOUR)
  if (within.length < callsPerHour) return undefined
  const oldest = within.toSorted((a, b) => a - b)[within.length - callsPerHour]
  return oldest === undefined ? undefined : oldest + HOUR
}

/** What a start used, and its session with it. */
export const usageOf = ({ usage, session }: AgentProcess, { config, previous }: State) =>
  usageOfStart(usage, session, config?.run.continueSession === true ? previous?.session : undefined)
