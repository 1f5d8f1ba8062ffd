import type { Transcript } from '../../src/core/types.ts'

/** A transcript with nothing in it but what the test is about. */
export function transcript(final: string, rest: Partial<Transcript> = {}): Transcript {
  return {
    format: 'text',
    final,
    earlier: [],
    bytes: Buffer.byteLength(final),
    finished: true,
    usage: {},
    errors: [],
    denials: [],
    toolSignals: [],
    fields: {},
    problems: [],
    ...rest,
  }
}
