import { awake } from '../../system/awake-clock.ts'
import { commandLine, type Process } from '../../system/processes.ts'
import type { Streams } from './follow.ts'

export interface SilenceLimits {
  readonly silenceMs?: number
  /** Whether silence means nothing with this agent. */
  mayBeSilent(): boolean
}

export const after = (ms: number | undefined, call: () => void): (() => void) =>
  ms === undefined || ms === Number.POSITIVE_INFINITY ? () => {} : awake.after(ms, call)

/** Output is frequent, so the clock is read only when the time would be up, not for every chunk. */
export function whenSilent(
  streams: Streams,
  { silenceMs: ms, mayBeSilent }: SilenceLimits,
  call: () => void,
): () => void {
  if (ms === undefined) return () => {}
  let wasAllowed = false
  const look = (): void => {
    const left = ms - streams.silentMs
    if (left > 0) stop = after(left, look)
    else {
      // After the machine slept, the timer fires first: read pending output before deciding.
      const turn = setImmediate(() => {
        if (streams.silentMs < ms) look()
        else {
          const isAllowed = mayBeSilent()
          // The one that was allowed to be silent has ended since then, and what it printed may be on its way.
          if (isAllowed || wasAllowed) stop = after(ms, look)
          else call()
          wasAllowed = isAllowed
        }
      })
      stop = () => clearImmediate(turn)
    }
  }
  let stop = after(ms, look)
  return () => stop()
}

const LOOK_MS = 5_000

/** Some agents retry a failing provider for hours. Calls back once that has lasted this long without a pause. */
export function whenTroubled(isTroubled: () => boolean, ms: number | undefined, call: () => void): () => void {
  if (ms === undefined) return () => {}
  let since: number | undefined
  const hasLasted = (): boolean => {
    since = isTroubled() ? (since ?? awake.now()) : undefined
    return since !== undefined && awake.now() - since >= ms
  }
  return whenSo(hasLasted, ms, call)
}

/** Calls back once this is so. It looks every few seconds, and more often if `ms` is short. */
export function whenSo(isSo: () => boolean, ms: number, call: () => void): () => void {
  const look = (): void => {
    if (isSo()) call()
    else stop = after(Math.min(LOOK_MS, ms), look)
  }
  let stop = after(Math.min(LOOK_MS, ms), look)
  return () => stop()
}

/** Programs whose plain text mode prints nothing before the final answer. The name may be a whole process title. */
const AT_END = /(?:^|[\s/"'])(?:claude|cursor-agent|amp|droid)(?=$|[\s"'])/
const STREAMS = /\bstream-json\b/
/** Formats in which the output may come at the end. The others are streams of events. */
export const MAY_BE_TEXT: ReadonlySet<string> = new Set(['auto', 'text', 'json'])

/**
 * Whether an agent works that prints only at its end, such as `claude -p`, under whatever command. Its silence says nothing. An agent
 * that has printed events is none.
 */
export function printsAtEnd(format: string, hasPrintedEvents: boolean, processes: readonly Process[]): boolean {
  if (hasPrintedEvents || !MAY_BE_TEXT.has(format)) return false
  const lines = processes.map(({ pid }) => commandLine(pid))
  return lines.some((line) => AT_END.test(line)) && !lines.some((line) => STREAMS.test(line))
}
