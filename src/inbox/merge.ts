import type { Transcript } from '../core/types.ts'
import type { SignalFields } from './signal.ts'

/**
 * What the agent's stream shows of `exit_signal` and what lies in the inbox, as one sequence. A call that the tool put into the
 * inbox stands in the stream as well, and is one claim. Between two such calls nothing tells in which order the others came: there
 * the "not done" has the last word.
 */
export function withInbox(transcript: Transcript, signals: readonly SignalFields[]): Transcript {
  if (signals.length === 0) return transcript
  return { ...transcript, toolSignals: merged(transcript.toolSignals, signals) }
}

function merged(seen: readonly SignalFields[], sent: readonly SignalFields[]): readonly SignalFields[] {
  const all: SignalFields[] = []
  let at = 0
  let from = 0
  for (const [index, signal] of seen.entries()) {
    const found = sent.findIndex((other, place) => place >= at && sameSaying(other, signal))
    if (found < 0) continue
    all.push(...cautious(seen.slice(from, index), sent.slice(at, found)), sent[found] ?? signal)
    at = found + 1
    from = index + 1
  }
  return [...all, ...cautious(seen.slice(from), sent.slice(at))]
}

/** "Complete" first, so that it is not the last word of those whose order nobody knows. */
function cautious(seen: readonly SignalFields[], sent: readonly SignalFields[]): readonly SignalFields[] {
  const both = [...seen, ...sent]
  if (seen.length === 0 || sent.length === 0) return both
  return [...both.filter(isComplete), ...both.filter((signal) => !isComplete(signal))]
}

const isComplete = (signal: SignalFields): boolean => word(signal.status ?? signal.signal) === 'complete'

const SAYINGS = ['status', 'reason', 'remaining_work', 'confidence'] as const

function sameSaying(one: SignalFields, other: SignalFields): boolean {
  return SAYINGS.every((name) =>
    name === 'reason' || name === 'remaining_work'
      ? beginning(one[name]) === beginning(other[name])
      : word(one[name]) === word(other[name]),
  )
}

const word = (value: unknown): string =>
  String(value ?? '')
    .trim()
    .toLowerCase()
/** Both ways cut long texts, at different lengths. */
const beginning = (value: unknown): string => String(value ?? '').slice(0, 500)
