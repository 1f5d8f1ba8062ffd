import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import type { RunEnd } from '../core/run.ts'
import type { EvidenceSet } from '../core/types.ts'
import type { GatherOptions } from '../evidence/gather.ts'
import { endByOpenBreaker } from './ending.ts'
import type { AskFailing, Host } from './host.ts'
import { type Opening, withBaseline } from './opening.ts'
import { closeBreaker } from './preconditions.ts'
import { takeStart } from './reference.ts'

interface NewRunOptions {
  /** The state that earlier runs left. */
  readonly before: State
  readonly task?: string | undefined
  readonly prompt: string
  readonly gather: Omit<GatherOptions, 'claim'>
  readonly sandbox?: string | undefined
  readonly allowRemote?: boolean | undefined
  readonly menu?: Host['menu']
  readonly askFailing?: AskFailing | undefined
  /** Removes from the baseline what must not leave this machine. */
  readonly hide?: ((evidence: EvidenceSet) => EvidenceSet) | undefined
  now(): number
  emit(event: LoopEvent): void
  warn(texts: readonly string[]): void
}

/**
 * Everything before the first iteration of a new run: a lasting breaker that an earlier run left open, the baseline, and the tests that already
 * fail. Undefined if interrupted; an end if no run starts.
 */
export async function prepareNewRun(
  { config, policy, first }: Opening,
  options: NewRunOptions,
  signal: AbortSignal,
): Promise<{ readonly config: Config; readonly events: readonly EventInput[] } | { readonly end: RunEnd } | undefined> {
  const { before, gather, sandbox, allowRemote, menu, askFailing, hide, now, emit, warn } = options
  // Before the baseline, which may take long.
  const closed = await closeBreaker(before, { config, policy }, now(), menu, signal)
  if (signal.aborted) return undefined
  if (closed === undefined) return { end: endByOpenBreaker(before, config.preset) }
  emit({ type: 'baseline', ...(gather.run && { run: gather.run }), done: false, at: now() })
  const taken = await takeStart({ ...gather, claim: false, signal, accepted: before.accepted })
  if (signal.aborted) return undefined
  warn(taken.problems)
  const evidence = hide?.(taken.evidence) ?? taken.evidence
  const { acceptFailing } = config.baseline
  emit({ type: 'baseline', done: true, evidence, ...(acceptFailing && { acceptsFailing: acceptFailing }), at: now() })
  const { tests } = evidence
  const failing = tests?.answer === 'no' ? (tests.named?.failing ?? []) : []
  const isAsked = failing.length > 0 && !acceptFailing && askFailing !== undefined
  const accepts = isAsked ? await askFailing(failing, signal) : false
  if (accepts === undefined || signal.aborted) return undefined
  const chosen = accepts ? { ...config, baseline: { ...config.baseline, acceptFailing: true } } : config
  // People tell the runs of a project apart by the first line with words.
  const title = /[^\s#>*=-].*/
    .exec(options.task ?? options.prompt)?.[0]
    .trim()
    .slice(0, 200)
  const more = { ...(accepts && { config: chosen }), ...(title && { title }) }
  const own = first.map((event) => (event.type === 'run.started' ? { ...event, ...more } : event))
  return { config: chosen, events: [...withBaseline(own, evidence, taken.baselineId, sandbox, allowRemote), ...closed] }
}
