import { isAsserted } from '../../packages/core/src/signals/negation.ts'
import { read } from '../core/signals/read.ts'
import { NO_TRANSCRIPT } from '../core/signals/read-signals.ts'
import { sentencesOf } from '../core/signals/sentences.ts'
import type { Transcript } from '../core/types.ts'
import { mayClaim, mayClaimInWords } from './may-claim.ts'

/** Gaps between words are short and stay inside one sentence, so that matching stays linear. */
const CLAIMS: readonly RegExp[] = [
  // The tests.
  /\b(?:tests?|specs?|test suite|suite|checks?)\b.{0,60}?\b(?:pass(?:es|ing|ed)?|green|succeed(?:s|ed)?)\b/i,
  /\b\d+ (?:\w+ ){0,2}(?:passed|passing)\b/i,
  // The work as a whole.
  /\b(?:all|everything|every)\b.{0,80}?\b(?:completed?|done|finished|implemented|fixed|resolved|met|works?|working|in place)\b/i,
  /\b(?:tasks?|work|job|goal|project|implementation|feature|fix|change|migration|refactor(?:ing)?|setup|build|plan)\b.{0,40}?\b(?:is|are|was|were|has been|have been|now)\b.{0,20}?\b(?:completed?|done|finished|implemented|ready|in place|working)\b/i,
  /\b(?:bug|issue|problem|error|failure|crash|regression)s?\b.{0,40}?\b(?:is|are|was|were|has been|have been|now)\b.{0,20}?\b(?:fixed|resolved|solved|gone)\b/i,
  // What the agent did.
  /\b(?:i|we)(?: have|['’]ve)?(?: now| just| also)?(?: successfully| fully)? (?:completed|finished|fixed|implemented|resolved|solved|added|built|wrote|written)\b/i,
  /\bsuccessfully (?:completed|implemented|fixed|finished|resolved|added|built|migrated|refactored)\b/i,
  /^(?:[^\w]*)(?:all )?(?:done|finished|completed?|fixed|implemented)\b/i,
  // What is left.
  /\bready (?:for (?:review|merge|production|use)|to (?:merge|ship|use|go|be merged))\b/i,
  /\b(?:nothing (?:else |more )?(?:is )?(?:left|remains)|no (?:remaining|outstanding|further) (?:work|tasks?|items?|steps?))\b/i,
  /\bno (?:tests? )?(?:failures?|failing tests?)\b/i,
]

/**
 * Whether sentences of the message say the work is done. In conversations without a status block, this triggers a check of the
 * project; it never counts as proof. Negations, conditions, wishes and questions don't count.
 */
function claimsCompletion(lines: readonly string[]): boolean {
  return lines
    .filter(mayClaimInWords)
    .some((line) =>
      sentencesOf(line).some((sentence) => CLAIMS.some((pattern) => isAsserted(pattern, 'fact', sentence))),
    )
}

/** Whether a final message claims completion. */
export interface MessageClaim {
  /** The yes or no of a status block. */
  readonly explicit: boolean | undefined
  /** The message claims completion in plain words. */
  readonly inWords: boolean
}

const SAYS_SO = 'done in words'

/** One message as the transcript of an iteration. */
export const transcriptOf = (message: string): Transcript => ({
  ...NO_TRANSCRIPT,
  format: 'text',
  final: message,
  bytes: Buffer.byteLength(message),
})

const NOTHING: MessageClaim = { explicit: undefined, inWords: false }

/** Reads the message alone. If it claims anything, the policy reads it again with its own options. */
export function readMessage(message: string, asked: string | undefined): MessageClaim {
  if (!mayClaim(message)) return NOTHING
  const options = { patterns: [SAYS_SO], ...(asked === undefined ? {} : { prompt: asked }) }
  const { claim, vetoes, phrases } = read(transcriptOf(message), options, (_patterns, lines) => ({
    phrases: claimsCompletion(lines) ? [SAYS_SO] : [],
    problems: [],
  }))
  // The user can choose the text of a promise, so any promise is read again later.
  const promised = claim === undefined && /<promise>[^<]+<\/promise>/i.test(message)
  const explicit = vetoes.length > 0 ? false : (claim ?? (promised ? true : undefined))
  return { explicit, inWords: phrases.includes(SAYS_SO) }
}
