import type { LoopEvent } from '../../core/run.ts'

export interface JsonOptions {
  /** Also what the agent prints. */
  readonly output: boolean
  /** The number the program ends with, for the last line. */
  readonly exitCode: number
}

/** One happening as one JSON object on a line, without the line break; nothing where there is nothing to tell. */
export function jsonLine(event: LoopEvent, options: JsonOptions): string | undefined {
  if (event.type === 'output' && !options.output) return undefined
  return harmless(JSON.stringify(jsonDocument(event, options)))
}

/** One happening as programs are told it. */
export function jsonDocument(event: LoopEvent, { exitCode }: Pick<JsonOptions, 'exitCode'>): object {
  switch (event.type) {
    case 'decided': {
      // The state is the fold of the journal; what changes with a decision is enough here.
      const { state, ...rest } = event
      const { breaker, streaks, total } = state.counters
      return { ...rest, counters: { iterations: state.iterations, breaker, streaks, total } }
    }
    case 'recorded':
      // The journal holds them in full; here stands which of its lines are on the disk now.
      return { type: event.type, events: event.events.map(({ seq, at, type }) => ({ seq, at, type })) }
    case 'ended': {
      const { end, ...rest } = event
      return { ...rest, exitCode, ...end }
    }
    default:
      return event
  }
}

/** JSON leaves some characters as they are that a terminal obeys or that split a line; written as numbers they mean the same. */
export const harmless = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
