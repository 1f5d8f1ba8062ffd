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

/** Agents whose counts continue in a resumed session instead of starting at zero. */
const CUMULATIVE = new Set(['codex'])

/** What one iteration used. `before` is the session's count at the end of the previous iteration. */
export function usageOf(result: AgentProcess, before: Observation['session']): AgentProcess['usage'] {
  if (!CUMULATIVE.has(result.format) || before === undefined || before.id !== result.session) return result.usage
  const { tokens, usd } = result.usage
  return {
    ...(tokens === undefined ? {} : { tokens: since(tokens, before.tokens) }),
    ...(usd === undefined ? {} : { usd: since(usd, before.usd) }),
  }
}

/** A smaller count means a reset, so all of it is new. */
function since(now: number, before = 0): number {
  return now >= before ? now - before : now
}

/** Warns after the first iteration if a limit can't be enforced, because the agent doesn't report what it uses. */
export function unpriced({ ended, usage }: AgentProcess, { usd, tokens }: LimitsConfig): readonly string[] {
  if (ended !== 'exit') return []
  return [
    ...(usd !== undefined && usage.usd === undefined
      ? [
          "This agent doesn't report costs, so --max-cost can't be enforced. Set run.prices, or use --max-iterations and --max-minutes.",
        ]
      : []),
    ...(usd !== undefined && usage.usd === 0 && (usage.tokens ?? 0) > 0
      ? ['This agent reports a cost of $0, so --max-cost never ends the run. If its model is not free, set run.prices.']
      : []),
    ...(tokens !== undefined && usage.tokens === undefined
      ? ["This agent doesn't report tokens, so --max-tokens can't be enforced. Use --max-iterations and --max-minutes."]
      : []),
  ]
}
