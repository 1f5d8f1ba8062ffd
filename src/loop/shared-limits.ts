import type { State } from '../core/journal/events.ts'
import type { AgentResult } from '../core/run.ts'
import type { Policy, Spent } from '../core/types.ts'
import { hindranceOf } from './before-iteration.ts'
import { usageOf } from './limits/usage.ts'

/** One start of the agent, by which it is known however often it is asked about. */
export interface Start {
  readonly iteration: number
  readonly attempt: number
}

/** What several runs may use together. Whoever keeps the count answers before each start and is told afterwards what it cost. */
export interface SharedLimits {
  /** May this iteration start? Asking again for the same start counts once. */
  ask(start: Start & { readonly run: string; readonly at: number }): Promise<SharedAnswer>
  /** What that start cost. The later word counts: evidence takes time as well. */
  told(start: Start & { readonly run: string }, spent: Spent): Promise<void>
}

export type SharedAnswer =
  | { readonly kind: 'go' }
  /** Without a time it is asked again soon. */
  | { readonly kind: 'waits'; readonly until?: number; readonly why: string }
  | { readonly kind: 'ends'; readonly ending: 'cost' | 'tokens' | 'time'; readonly reason: string }

/** A run that could not start anyway takes nothing from the others. */
export async function askShared(
  shared: SharedLimits | undefined,
  state: State,
  policy: Policy,
  start: Start | undefined,
  at: number,
): Promise<{ readonly shared?: SharedAnswer }> {
  if (shared === undefined || start === undefined || hindranceOf(state, policy, at) !== undefined) return {}
  return { shared: await shared.ask({ run: state.run ?? '', ...start, at }) }
}

/** What the start that is under way has cost so far. A decision that a person took while no agent ran cost nothing. */
export async function tellShared(shared: SharedLimits | undefined, state: State, spent: Spent): Promise<void> {
  const { run = '', running } = state
  if (shared === undefined || running === undefined) return
  await shared.told({ run, iteration: running.iteration, attempt: running.attempt ?? 1 }, spent)
}

/** What the agent alone has cost, before anybody looked at its work. */
export function spentOn(result: AgentResult, { previous }: State): Spent {
  const { tokens = 0, usd = 0 } = usageOf(result, previous?.session)
  return { ms: result.ms, tokens, usd }
}
