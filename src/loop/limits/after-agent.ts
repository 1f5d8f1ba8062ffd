import { count } from '../../../packages/core/src/count.ts'
import type { FailureCause } from '../../core/failure-cause.ts'
import type { EventInput, State } from '../../core/journal/events.ts'
import type { AgentResult } from '../../core/run.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { endEvent } from '../ending.ts'
import type { Ready } from '../host.ts'
import { usageOf } from './budget.ts'
import { type Failure, failureOf, fatalReason, isHopeless } from './failure.ts'
import { type AgentSwitched, afterRefusal } from './fallback.ts'
import { limitOf, type ProviderLimit } from './provider.ts'

/** How the provider affected the iteration. Fleets store it in their database: do not rename its fields. */
export type AfterAgent =
  | { readonly kind: 'goes-on' }
  /** The iteration starts again later. Only its cost counts. */
  | { readonly kind: 'later'; readonly happening: EventInput; readonly switched?: AgentSwitched }
  | { readonly kind: 'ends'; readonly happening: EventInput }

/**
 * The run waits for a limit, which never counts as a failure. It ends if another start would fail the same way: a rejected key, a
 * missing payment, a wrong argument.
 */
export function afterAgent(result: AgentResult, state: State, { at }: Pick<Ready, 'at'>): AfterAgent {
  const { config, running } = state
  if (config === undefined || running === undefined) return { kind: 'goes-on' }
  const limit = limitOf(result, at)
  const usage = usageOf(result, state).used
  const worked = hasUsedModel(result, usage.tokens)
  const since = troubleSince(result, worked, usage.tokens, state, at)
  const failure = failureOf(result) ?? (limit?.kind === 'auth' ? loginOf(limit) : undefined)
  if (limit?.kind === 'auth') {
    const switched = afterRefusal(limit, undefined, state, at)
    if (switched !== undefined) return later({ ...limit, kind: 'limit' }, at, switched)
  }
  if (failure !== undefined && isHopeless(failure, hasWorked(state)))
    return ends('fatal', fatalReason(failure), failure.cause)
  if (limit === undefined || limit.kind === 'auth') return { kind: 'goes-on' }
  const wait = untilFirst(waitFor(limit, state.limited, config.run, at, since), state, at)
  const switched = afterRefusal(limit, wait.kind === 'waits' ? wait.until : limit.until, state, at)
  if (switched !== undefined) return later(limit, at, switched)
  if (wait.kind === 'fails' || (worked && (running.attempt ?? 1) > MOST_RESTARTS)) return { kind: 'goes-on' }
  if (wait.kind === 'gives-up')
    return ends('errors', wait.reason, limit.kind === 'limit' ? 'limit' : 'outage', wait.minutes)
  return later(limit, wait.until)

  function ends(ending: 'fatal' | 'errors', reason: string, cause: FailureCause, waitMinutes?: number): AfterAgent {
    const end = endEvent(state, 'aborted', ending, reason, cause)
    return { kind: 'ends', happening: waitMinutes === undefined ? end : { ...end, waitMinutes } }
  }

  function later({ kind, message }: ProviderLimit, until: number, switched?: AgentSwitched): AfterAgent {
    const { tokens = 0, usd = 0 } = usage
    const { iteration, attempt = 1 } = state.running ?? { iteration: state.iterations + 1 }
    const spent = { ms: result.ms, tokens, usd }
    const happening = { type: 'iteration.limited', iteration, attempt, kind, until, message, spent, since } as const
    return { kind: 'later', happening, ...(switched === undefined ? {} : { switched }) }
  }
}

const loginOf = ({ message }: { readonly message: string }): Failure => ({ cause: 'login', reason: message })

/** The agent has worked in this run, so its arguments can't be wrong. */
const hasWorked = ({ previous }: State): boolean =>
  previous !== undefined && previous.failed?.cause !== 'setup' && previous.failed?.cause !== 'model'

/** An agent that only reports its retries prints less. */
const MOST_OF_RETRIES = 16 * 1024

/** Some agents don't report tokens when they fail. */
const hasUsedModel = ({ bytes, usedTools }: AgentResult, tokens: number | undefined): boolean =>
  tokens === undefined ? usedTools === true || bytes > MOST_OF_RETRIES : tokens > 0

/** An iteration whose work is cut off more often counts, so that its progress is measured and its cost is bounded. */
const MOST_RESTARTS = 5

/**
 * When the provider's trouble began. An agent that spent no tokens waited for the provider all the time. One that worked had a
 * provider, so then only the waits between failures add up, and a new usage limit begins now.
 */
function troubleSince(
  { ms }: AgentResult,
  worked: boolean,
  tokens: number | undefined,
  { limited }: State,
  at: number,
): number {
  if (!worked) return limited?.since ?? (tokens === 0 ? at - ms : at)
  return limited?.kind === 'overload' ? at - (limited.until - (limited.since ?? limited.until)) : at
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
  | { readonly kind: 'gives-up'; readonly reason: string; readonly minutes?: number }
  /** Too many retries: the iteration counts as failed. */
  | { readonly kind: 'fails' }

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

/**
 * How long to wait for the provider. `limited` describes the limits just before this one. The last wait is shorter, so that the run gives
 * up only after the whole time. A limit whose stated end is too far away is not waited for.
 */
export function waitFor(
  limit: ProviderLimit,
  limited: State['limited'],
  run: RunConfig,
  now: number,
  began = limited?.since ?? now,
): Wait {
  const before = limited?.kind === limit.kind ? limited.n : 0
  const since = Math.min(began, now)
  const latest = since + run.maxWaitMinutes * MINUTE
  const { until: stated, kind } = limit
  if (kind === 'overload' && (before >= run.overloadRetries || run.maxWaitMinutes === 0)) return { kind: 'fails' }
  if (stated !== undefined && stated + LATER > latest && kind === 'limit')
    return { kind: 'gives-up', reason: tooFar(limit, stated, since, run), minutes: minutes(stated + LATER - since) }
  if (now + SECOND > latest) return { kind: 'gives-up', reason: tooLong(limit, now - since, run) }
  const until =
    stated === undefined ? now + nth(WAITS[kind], before) : Math.max(stated + LATER, now + nth(AT_LEAST, before))
  return { kind: 'waits', until: Math.min(until, latest) }
}

function nth(list: readonly number[], index: number): number {
  return list[Math.min(index, list.length - 1)] ?? 0
}

function tooFar({ message }: ProviderLimit, stated: number, since: number, run: RunConfig): string {
  const end = new Date(stated).toISOString().slice(0, 16).replace('T', ' ')
  const wait = count(minutes(stated + LATER - since), 'minute')
  return `the provider's limit ends at ${end} UTC, a wait of ${wait}, but run.maxWaitMinutes is ${run.maxWaitMinutes}: ${message}`
}

function tooLong({ kind, message }: ProviderLimit, waited: number, run: RunConfig): string {
  const what = kind === 'limit' ? "the provider's limit" : "the provider's failure"
  return run.maxWaitMinutes === 0
    ? `${what} can't be waited for, because run.maxWaitMinutes is 0: ${message}`
    : `${what} has not ended after ${waited < MINUTE ? count(Math.floor(waited / SECOND), 'second') : count(Math.floor(waited / MINUTE), 'minute')} of waiting: ${message}`
}

const minutes = (ms: number): number => Math.ceil(ms / MINUTE)
