import { NO_TRANSCRIPT } from '../../src/core/signals/read-signals.ts'
import type { Transcript } from '../../src/core/types.ts'

/** A transcript with only the given fields. */
export function transcript(final: string, rest: Partial<Transcript> = {}): Transcript {
  return { ...NO_TRANSCRIPT, format: 'text', final, bytes: Buffer.byteLength(final), ...rest }
}
