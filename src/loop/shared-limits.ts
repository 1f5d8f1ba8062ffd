import type { State } from '../core/journal/events.ts'
import type { AgentProcess } from '../core/run.ts'
import type { Spent } from '../core/types.ts'
import { usageOf } from './limits/budget.ts'

/** Identifies one start of the agent. */
export interface Start {
  readonly iteration: number
  readonly attempt: number
}

/** Limits that several runs share: asked before each start, and told afterwards what it cost. */
export interface SharedLimits {
  /** May this iteration start? Asking again for the same start counts once. */
  ask(start: Start & { readonly run: string; readonly at: number }): Promise<SharedAnswer>
  /** What that start cost. A later call replaces an earlier one: evidence takes time as well. */
  report(start: Start & { readonly run: string }, spent: Spent): Promise<void>
}

export type SharedAnswer =
  | { readonly kind: 'go' }
  /** Without a time it is asked again soon. */
  | { readonly kind: 'waits'; readonly until?: number; readonly why: string }
  | { readonly kind: 'ends'; readonly ending: 'cost' | 'tokens' | 'time'; readonly reason: string }

/** Reports what the current start has cost so far. A decision that a person made while no agent ran cost nothing. */
export async function reportShared(shared: SharedLimits | undefined, state: State, spent: Spent): Promise<void> {
  const { run = '', running } = state
  if (shared === undefined || running === undefined) return
  await shared.report({ run, iteration: running.iteration, attempt: running.attempt ?? 1 }, spent)
}

/** What the agent alone has cost, without the evidence. */
export function spentOn(result: AgentProcess, { previous }: State): Spent {
  const { tokens = 0, usd = 0 } = usageOf(result, previous?.session)
  return { ms: result.ms, tokens, usd }
}
