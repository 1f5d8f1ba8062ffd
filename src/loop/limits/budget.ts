import type { LimitsConfig } from '../../core/config.ts'
import type { State } from '../../core/journal/events.ts'
import { usedUp } from '../../core/policy/rules/limits.ts'

export interface Share {
  readonly used: number
  readonly most: number
  /** Never below 0. */
  readonly left: number
}

/** What is used and left of each limit that is set. */
export interface Budget {
  readonly iterations?: Share
  /** Of the minutes, in ms: at `left` the agent is to be cut off. */
  readonly ms?: Share
  readonly usd?: Share
  readonly tokens?: Share
}

/** How much of the run is left, with the iteration that runs counted up to now. Waiting for a provider costs nothing. */
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

/** The limit that leaves no room for another iteration: a run that is taken up again may have used it up before. */
export function exhausted(state: State, limits: LimitsConfig): ReturnType<typeof usedUp> {
  return usedUp(limits, { iteration: state.iterations, total: state.counters.total })
}
