import { itemOf } from './fields.ts'
import type { Line } from './lines.ts'
import { sentencesOf } from './sentences.ts'

const WORDS_LIMIT = 4_000

/** How a sentence begins that speaks against the one before. */
const TURN =
  /^\W*(?:however|but|still|that said|unfortunately|except|although|though|nevertheless|(?:please )?note|one (?:thing|caveat)|caveat|todo)\b/i
const OPEN = new RegExp(
  [
    String.raw`(?:\bnot|\bcannot|n['’]t)\b[^.!?]{0,60}\byet\b`,
    String.raw`\bnot yet\b`,
    String.raw`\byet to be\b`,
    String.raw`\bstill (?:needs?|ha(?:s|ve)|must|to be|fails?|failing|missing|open|broken|pending|unfinished|incomplete)\b`,
    String.raw`\bremains? (?:to be|open|unfinished|incomplete|undone)\b`,
    String.raw`\b(?:is|are) (?:missing|unfinished|incomplete|left to do)\b`,
    String.raw`\bI(?:['’]ll| will| (?:still )?(?:need|have) to| must)\b[^.!?]{0,60}\b(?:next|later|tomorrow|afterwards)\b`,
  ].join('|'),
  'i',
)
const NOTHING = /\b(?:nothing|none|nobody|no(?! longer\b))\b/i

/**
 * The sentence behind a claim that takes it back: "However, empty lines are not refused yet." It needs both, the turn and what is open,
 * because a claim with a harmless remark behind it must stand. English only; in other languages the fields must say it.
 */
export function takenBack(lines: readonly Line[], own: (index: number) => boolean, after: number): string | undefined {
  const paragraphs: string[] = ['']
  for (const [index, line] of lines.entries()) {
    if (index <= after) continue
    if (line.blank || itemOf(line.text) !== undefined) paragraphs.push('')
    if (!line.blank && own(index)) paragraphs.push(`${paragraphs.pop()} ${itemOf(line.text) ?? line.text.trim()}`)
  }
  return paragraphs
    .flatMap((text) => sentencesOf(text.trim().slice(0, WORDS_LIMIT)))
    .find((sentence) => TURN.test(sentence) && isOpen(sentence))
}

function isOpen(sentence: string): boolean {
  const open = OPEN.exec(sentence)
  return open !== null && !NOTHING.test(sentence.slice(0, open.index))
}
