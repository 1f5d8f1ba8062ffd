import type { LimitsConfig } from '../../core/config.ts'
import type { State } from '../../core/journal/events.ts'
import { usedUp } from '../../core/policy/rules/limits.ts'
import type { AgentProcess } from '../../core/run.ts'
import type { Observation } from '../../core/types.ts'

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

const HOUR = 3_600_000

/** When the next start of the agent is allowed, if not now: within any hour there are at most so many. */
export function nextCallAt(
  starts: readonly number[],
  callsPerHour: number | undefined,
  now: number,
): number | undefined {
  if (callsPerHour === undefined) return undefined
  // A clock that was put back must not make us wait for longer than the hour it is about.
  const within = starts.map((start) => Math.min(start, now)).filter((start) => now - start < HOUR)
  if (within.length < callsPerHour) return undefined
  const oldest = within.toSorted((a, b) => a - b)[within.length - callsPerHour]
  return oldest === undefined ? undefined : oldest + HOUR
}

/** Agents that count on when a session is taken up again, instead of starting at nothing. */
const COUNT_ON = new Set(['codex'])

/** What one iteration has used. `before` is what the same session had counted when the iteration before it ended. */
export function usageOf(result: AgentProcess, before: Observation['session']): AgentProcess['usage'] {
  if (!COUNT_ON.has(result.format) || before === undefined || before.id !== result.session) return result.usage
  const { tokens, usd } = result.usage
  return {
    ...(tokens === undefined ? {} : { tokens: since(tokens, before.tokens) }),
    ...(usd === undefined ? {} : { usd: since(usd, before.usd) }),
  }
}

/** A count that became smaller was reset, so all of it is new. */
function since(now: number, before = 0): number {
  return now >= before ? now - before : now
}

/** A limit on what the agent does not tell cannot hold, and whoever relies on it should know after the first iteration. */
export function unpriced({ ended, usage }: AgentProcess, { usd, tokens }: LimitsConfig): readonly string[] {
  if (ended !== 'exit') return []
  return [
    ...(usd !== undefined && usage.usd === undefined
      ? [
          'the agent does not tell what it costs, so the limit on cost cannot hold; give run.prices, or limit iterations and minutes',
        ]
      : []),
    ...(tokens !== undefined && usage.tokens === undefined
      ? ['the agent does not tell how many tokens it uses, so that limit cannot hold; limit iterations and minutes']
      : []),
  ]
}
