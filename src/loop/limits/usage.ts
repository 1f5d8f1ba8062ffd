import type { AgentProcess } from '../../core/run.ts'
import type { Observation } from '../../core/types.ts'

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

/** A count that became smaller was begun anew: then all of it is new. */
function since(now: number, before = 0): number {
  return now >= before ? now - before : now
}
