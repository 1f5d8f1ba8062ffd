import type { ReadOptions, Signals, Transcript } from '../types.ts'
import { read } from './read.ts'

/** The transcript of an agent that printed nothing. */
export const NO_TRANSCRIPT: Transcript = {
  format: 'none',
  final: '',
  earlier: [],
  bytes: 0,
  finished: true,
  usage: {},
  errors: [],
  denials: [],
  toolSignals: [],
  fields: {},
  problems: [],
}

/** The signals of an agent that printed nothing. */
export const NO_SIGNALS: Signals = {
  claims: {},
  vetoes: [],
  said: {},
  blocks: [],
  phrases: [],
  text: '',
  length: 0,
  denials: [],
  source: 'none',
  problems: [],
}

/** `read` with the user's own patterns. Their library is slow to load, so it is loaded only if there are any. */
export async function readSignals(transcript: Transcript, options: ReadOptions): Promise<Signals> {
  if ((options.patterns ?? []).length === 0) return read(transcript, options)
  const { readWithPatterns } = await import('./user-patterns.ts')
  return readWithPatterns(transcript, options)
}

/** An agent that failed isn't done, whatever it printed before, so its claim is discarded. */
export function discardClaim(signals: Signals, reason: string): Signals {
  return signals.claim === true ? { ...signals, vetoes: [...signals.vetoes, reason] } : signals
}
