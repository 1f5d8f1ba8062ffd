import { read } from '../core/signals/read.ts'
import type { Transcript } from '../core/types.ts'
import { claimsCompletion, mayClaimCompletion } from './completion-words.ts'

/** What a final message says about being done. */
export interface Heard {
  /** The explicit yes or no of a status block. */
  readonly explicit: boolean | undefined
  /** It says so in plain words. */
  readonly inWords: boolean
}

const SAYS_SO = 'done in words'

/** One message as the transcript of an iteration. */
export function transcriptOf(message: string): Transcript {
  return {
    format: 'text',
    final: message,
    earlier: [],
    bytes: Buffer.byteLength(message),
    finished: true,
    usage: {},
    errors: [],
    denials: [],
    toolSignals: [],
    fields: {},
    problems: [],
  }
}

/** One of these words stands in every block of every dialect. */
const MAY_BE_A_BLOCK = /status|signal|promise|remaining|phase_/i
const NOTHING: Heard = { explicit: undefined, inWords: false }

/** A quick look at the message alone; whoever claims anything is listened to again with the policy's own ears. */
export function hear(message: string, asked: string | undefined): Heard {
  if (!MAY_BE_A_BLOCK.test(message) && !mayClaimCompletion(message)) return NOTHING
  const options = { patterns: [SAYS_SO], ...(asked === undefined ? {} : { prompt: asked }) }
  const { claim, vetoes, phrases } = read(transcriptOf(message), options, (_patterns, lines) => ({
    phrases: claimsCompletion(lines) ? [SAYS_SO] : [],
    problems: [],
  }))
  // The text of a promise is the user's to choose, so any promise is worth a second look.
  const promised = claim === undefined && /<promise>[^<]+<\/promise>/i.test(message)
  const explicit = vetoes.length > 0 ? false : (claim ?? (promised ? true : undefined))
  return { explicit, inWords: phrases.includes(SAYS_SO) }
}
