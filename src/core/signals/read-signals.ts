import type { ReadOptions, Signals, Transcript } from '../types.ts'
import { read } from './read.ts'

/** `read`, with the user's own patterns; their library is loaded only if there are any, because it is slow to load. */
export async function readSignals(transcript: Transcript, options: ReadOptions): Promise<Signals> {
  if ((options.patterns ?? []).length === 0) return read(transcript, options)
  const { readWithPatterns } = await import('./user-patterns.ts')
  return readWithPatterns(transcript, options)
}
