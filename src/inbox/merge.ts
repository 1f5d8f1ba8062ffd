import type { Transcript } from '../core/types.ts'
import type { SignalFields } from './signal.ts'

/**
 * Merges the `exit_signal` calls in the agent's stream with the signals in the inbox. A tool call appears in both and counts once.
 * The order of the other signals between two such calls is unknown, so there a "not done" comes last.
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
    const found = sent.findIndex((other, place) => place >= at && sameSignal(other, signal))
    if (found < 0) continue
    all.push(...cautious(seen.slice(from, index), sent.slice(at, found)), sent[found] ?? signal)
    at = found + 1
    from = index + 1
  }
  return [...all, ...cautious(seen.slice(from), sent.slice(at))]
}

/** If the order is unknown, "complete" comes first, so that it never has the last word. */
function cautious(seen: readonly SignalFields[], sent: readonly SignalFields[]): readonly SignalFields[] {
  const both = [...seen, ...sent]
  if (seen.length === 0 || sent.length === 0) return both
  return [...both.filter(isComplete), ...both.filter((signal) => !isComplete(signal))]
}

const isComplete = (signal: SignalFields): boolean => word(signal.status ?? signal.signal) === 'complete'

const COMPARED_FIELDS = ['status', 'reason', 'remaining_work', 'confidence'] as const

function sameSignal(one: SignalFields, other: SignalFields): boolean {
  return COMPARED_FIELDS.every((name) =>
    name === 'reason' || name === 'remaining_work'
      ? beginning(one[name]) === beginning(other[name])
      : word(one[name]) === word(other[name]),
  )
}

const word = (value: unknown): string =>
  String(value ?? '')
    .trim()
    .toLowerCase()
/** Both sources cut long texts, at different lengths. */
const beginning = (value: unknown): string => String(value ?? '').slice(0, 500)
