import type { EventInput, State } from '../../core/journal/events.ts'
import type { AgentResult } from '../../core/run.ts'
import { endWithout } from '../ending.ts'
import type { Ready } from '../host.ts'
import { limitOf } from './provider.ts'
import { usageOf } from './usage.ts'
import { waitFor } from './wait.ts'

/** What the provider had to do with the end of an iteration. */
export type AfterAgent =
  | { readonly kind: 'goes-on' }
  /** The iteration is started again later and counts as nothing but money. */
  | { readonly kind: 'later'; readonly event: EventInput }
  | { readonly kind: 'ends'; readonly event: EventInput }

/** A limit is waited for and never held against the run; a key that is not accepted will not be accepted later either. */
export function afterAgent(result: AgentResult, state: State, { at }: Pick<Ready, 'at'>): AfterAgent {
  const { config, running } = state
  const limit = limitOf(result, at)
  if (limit === undefined || config === undefined || running === undefined) return { kind: 'goes-on' }
  if (limit.kind === 'auth')
    return {
      kind: 'ends',
      event: endWithout(state, 'aborted', 'fatal', `the agent is not let in: ${limit.message}`),
    }
  const wait = waitFor(limit, state.limited, config.run, at)
  if (wait.kind === 'fails') return { kind: 'goes-on' }
  if (wait.kind === 'gives-up') return { kind: 'ends', event: endWithout(state, 'aborted', 'errors', wait.reason) }
  const { tokens = 0, usd = 0 } = usageOf(result, state.previous?.session)
  const { iteration, attempt = 1 } = running
  const spent = { ms: result.ms, tokens, usd }
  const { kind, message } = limit
  return {
    kind: 'later',
    event: { type: 'iteration.limited', iteration, attempt, kind, until: wait.until, message, spent },
  }
}
