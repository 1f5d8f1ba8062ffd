import type { AgentProcess } from '../../core/run.ts'
import { within } from '../../system/timeout.ts'
import type { AgentCall } from './call.ts'
import type { Family } from './family.ts'
import type { Streams } from './follow.ts'

/** How the agent itself ended, as the system tells. */
export interface Gone {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process that hangs in the kernel ignores even the last signal; nobody waits for it longer than this. */
const PATIENCE_MS = 500
/** A timer cannot be set further ahead. */
const LATEST = 2 ** 31 - 1

type Limits = Pick<AgentCall, 'deadlineMs' | 'silenceMs' | 'graceMs'>

/** Waits for the agent's end, and brings it about when a limit is reached or a person wants it. The first cause counts. */
export async function untilEnded(
  gone: Promise<Gone>,
  family: Family,
  streams: Streams,
  limits: Limits,
  signal: AbortSignal,
): Promise<{ readonly ended: AgentProcess['ended'] } & Partial<Gone>> {
  let ended: AgentProcess['ended'] = 'exit'
  let killed = (): void => {}
  const killing = new Promise<void>((resolve) => {
    killed = resolve
  })
  const end = (why: AgentProcess['ended'], work: () => Promise<void>) => {
    if (ended === 'exit') ended = why
    work().then(killed)
  }
  const politely = () => family.end(limits.graceMs)
  const onAbort = () => end('aborted', () => (signal.reason === 'now' ? family.endNow() : politely()))
  const stopClock = after(limits.deadlineMs, () => end('deadline', politely))
  const stopListening = whenSilent(streams, limits.silenceMs, () => end('silence', politely))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()

  const how = await Promise.race([gone, killing.then(() => within(PATIENCE_MS, gone))])
  stopClock()
  stopListening()
  // Whoever has no patience any more may still say so while the rest of the tree is asked to end.
  if (ended !== 'exit') await killing
  signal.removeEventListener('abort', onAbort)
  return { ended, ...how }
}

function after(ms: number | undefined, call: () => void): () => void {
  if (ms === undefined) return () => {}
  const timer = setTimeout(call, Math.min(Math.max(ms, 1), LATEST))
  return () => clearTimeout(timer)
}

/** Output comes often and silence ends seldom, so the clock is read when the time would be up, and not at every byte. */
function whenSilent(streams: Streams, ms: number | undefined, call: () => void): () => void {
  if (ms === undefined) return () => {}
  let stop = after(ms, function look(): void {
    const left = ms - streams.silentMs
    if (left <= 0) call()
    else stop = after(left, look)
  })
  return () => stop()
}
