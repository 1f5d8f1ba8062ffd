import type { State } from '../core/journal/events.ts'
import type { AgentProcess } from '../core/run.ts'
import type { Spent } from '../core/types.ts'
import { usageOf } from './limits/budget.ts'

/** Identifies one start of the agent. */
export interface Start {
  readonly iteration: number
  readonly attempt: number
}

/** Limits that several runs share. The loop asks them before each start and reports the cost afterwards. */
export interface SharedLimits {
  /** May this iteration start? Asking again for the same start doesn't count twice. */
  ask(start: Start & { readonly run: string; readonly at: number }): Promise<SharedAnswer>
  /** The cost of that start. A later call replaces an earlier one, because evidence takes time too. */
  report(start: Start & { readonly run: string }, spent: Spent): Promise<void>
}

export type SharedAnswer =
  | { readonly kind: 'go' }
  /** Without a time, the run asks again soon. */
  | { readonly kind: 'waits'; readonly until?: number; readonly why: string }
  | { readonly kind: 'ends'; readonly ending: 'cost' | 'tokens' | 'time'; readonly reason: string }

/** Reports the cost of the current start so far. A decision without an agent costs nothing. */
export async function reportShared(shared: SharedLimits | undefined, state: State, spent: Spent): Promise<void> {
  const { run = '', running } = state
  if (shared === undefined || running === undefined) return
  await shared.report({ run, iteration: running.iteration, attempt: running.attempt ?? 1 }, spent)
}

/** The cost of the agent alone, without the evidence. */
export function spentOn(result: AgentProcess, state: State): Spent {
  const { tokens = 0, usd = 0 } = usageOf(result, state).used
  return { ms: result.ms, tokens, usd }
}
