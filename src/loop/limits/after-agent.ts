import { count } from '../../core/count.ts'
import type { EventInput, State } from '../../core/journal/events.ts'
import type { AgentResult } from '../../core/run.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { endEvent } from '../ending.ts'
import type { Ready } from '../host.ts'
import { usageOf } from './budget.ts'
import { type AgentSwitched, afterRefusal } from './fallback.ts'
import { limitOf, type ProviderLimit } from './provider.ts'

/** How the provider affected the iteration. Fleets store it in their database: do not rename its fields. */
export type AfterAgent =
  | { readonly kind: 'goes-on' }
  /** The iteration starts again later. Only its cost counts. */
  | { readonly kind: 'later'; readonly happening: EventInput; readonly switched?: AgentSwitched }
  | { readonly kind: 'ends'; readonly happening: EventInput }

/** The run waits for a limit, which never counts as a failure. A rejected key ends the run, because waiting doesn't help. */
export function afterAgent(result: AgentResult, state: State, { at }: Pick<Ready, 'at'>): AfterAgent {
  const { config, running } = state
  const limit = limitOf(result, at)
  if (limit === undefined || config === undefined || running === undefined) return { kind: 'goes-on' }
  if (limit.kind === 'auth') {
    const switched = afterRefusal(limit, undefined, state, at)
    if (switched !== undefined) return later({ ...limit, kind: 'limit' }, at, switched)
    return {
      kind: 'ends',
      happening: endEvent(state, 'aborted', 'fatal', `the agent could not authenticate: ${limit.message}`),
    }
  }
  const wait = untilFirst(waitFor(limit, state.limited, config.run, at), state, at)
  const switched = afterRefusal(limit, wait.kind === 'waits' ? wait.until : limit.until, state, at)
  if (switched !== undefined) return later(limit, at, switched)
  if (wait.kind === 'fails') return { kind: 'goes-on' }
  if (wait.kind === 'gives-up') return { kind: 'ends', happening: endEvent(state, 'aborted', 'errors', wait.reason) }
  return later(limit, wait.until)

  function later({ kind, message }: ProviderLimit, until: number, switched?: AgentSwitched): AfterAgent {
    const { tokens = 0, usd = 0 } = usageOf(result, state.previous?.session)
    const { iteration, attempt = 1 } = state.running ?? { iteration: state.iterations + 1 }
    const spent = { ms: result.ms, tokens, usd }
    const happening = { type: 'iteration.limited', iteration, attempt, kind, until, message, spent } as const
    return { kind: 'later', happening, ...(switched === undefined ? {} : { switched }) }
  }
}

/** While the fallback works, nothing waits longer than until the first agent can work again. */
function untilFirst(wait: Wait, { fallback, config }: State, at: number): Wait {
  const first = fallback?.until
  if (first === undefined || first <= at || first - at > (config?.run.maxWaitMinutes ?? 0) * MINUTE) return wait
  return { kind: 'waits', until: wait.kind === 'waits' ? Math.min(wait.until, first) : first }
}

type Wait =
  | { readonly kind: 'waits'; readonly until: number }
  /** The run ends, because the wait would be too long. */
  | { readonly kind: 'gives-up'; readonly reason: string }
  /** Too many retries: the iteration counts as failed. */
  | { readonly kind: 'fails'; readonly reason: string }

const SECOND = 1000
const MINUTE = 60 * SECOND
/** Clocks differ and providers round, so wait a little longer. */
const LATER = 5 * SECOND

/** How long to wait if the provider gives no time, by the number of earlier waits. */
const WAITS = {
  limit: [5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 30 * MINUTE],
  overload: [15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE],
}

/** The minimum wait grows each time, or an agent could report short limits and start again and again without being counted. */
const AT_LEAST = [0, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 30 * MINUTE]

/** How long to wait for the provider. `limited` describes the limits just before this one. */
export function waitFor(limit: ProviderLimit, limited: State['limited'], run: RunConfig, now: number): Wait {
  const before = limited?.kind === limit.kind ? limited.n : 0
  const since = Math.min(limited?.since ?? now, now)
  const until =
    limit.until === undefined
      ? now + nth(WAITS[limit.kind], before)
      : Math.max(limit.until + LATER, now + nth(AT_LEAST, before))
  const tooLong = until - since > run.maxWaitMinutes * MINUTE
  if (limit.kind === 'overload') {
    if (tooLong && limited !== undefined) return { kind: 'gives-up', reason: tooLate(limit, until, since, run) }
    if (before < run.overloadRetries && !tooLong) return { kind: 'waits', until }
    return { kind: 'fails', reason: `the provider failed ${count(before + 1, 'time')} in a row: ${limit.message}` }
  }
  return tooLong ? { kind: 'gives-up', reason: tooLate(limit, until, since, run) } : { kind: 'waits', until }
}

function nth(list: readonly number[], index: number): number {
  return list[Math.min(index, list.length - 1)] ?? 0
}

function tooLate(
  { kind, until: stated, message }: ProviderLimit,
  until: number,
  since: number,
  run: RunConfig,
): string {
  const needed = count(minutes(until - since), 'minute')
  const limit =
    kind === 'overload' || stated === undefined
      ? `the provider's ${kind} would take more than ${needed} of waiting`
      : `the provider's limit ends at ${new Date(stated).toISOString().slice(0, 16).replace('T', ' ')} UTC, a wait of ${needed}`
  return `${limit}, but run.maxWaitMinutes is ${run.maxWaitMinutes}: ${message}`
}

const minutes = (ms: number): number => Math.ceil(ms / MINUTE)
