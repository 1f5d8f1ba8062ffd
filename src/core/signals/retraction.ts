import { listItemText } from './fields.ts'
import type { Line } from './lines.ts'
import { sentencesOf } from './sentences.ts'
import { isNone } from './values.ts'

const WORDS_LIMIT = 4_000

interface LanguagePatterns {
  /** Words that start a sentence contradicting the previous one. */
  readonly contrast: RegExp
  /** Words that mean that work is left. */
  readonly openWork: RegExp
}

const ENGLISH: LanguagePatterns = {
  contrast:
    /^\W*(?:however|but|still|that said|unfortunately|except|although|though|nevertheless|(?:please )?note|one (?:thing|caveat)|caveat|todo|wait|hold on|actually|oops|sorry|correction)\b/i,
  openWork: new RegExp(
    [
      String.raw`(?:\bnot|\bcannot|n['’]t)\b[^.!?]{0,60}\byet\b`,
      String.raw`\bnot yet\b`,
      String.raw`\byet to be\b`,
      String.raw`\bstill (?:needs?|ha(?:s|ve)|must|to be|fails?|failing|missing|open|broken|pending|unfinished|incomplete)\b`,
      String.raw`\bremains? (?:to be|open|unfinished|incomplete|undone)\b`,
      String.raw`\b(?:am|is|are)(?: not|n['’]t) (?:quite |really )?(?:done|finished|complete)\b`,
      String.raw`\b(?:is|are) (?:missing|unfinished|incomplete|left to do)\b`,
      String.raw`\bI(?:['’]ll| will| (?:still )?(?:need|have) to| must)\b[^.!?]{0,60}\b(?:next|later|tomorrow|afterwards)\b`,
    ].join('|'),
    'i',
  ),
}

/** For other languages, only the plainest form. Everything else must be in the fields. */
const TONGUES: readonly LanguagePatterns[] = [
  ENGLISH,
  {
    contrast: /^(?:allerdings|jedoch|aber)[ ,]/i,
    openWork: /\bnoch (?:nicht|kein\w*|offen|aus\b)|\bfehl(?:t|en) noch\b/i,
  },
  {
    contrast: /^(?:sin embargo|pero|no obstante)[ ,]/i,
    openWork: /(?:todavía|aún) no\b|\bpendientes?\b|\b(?:todavía|aún) falta/i,
  },
  {
    contrast: /^(?:cependant|toutefois|mais|par contre)[ ,]/i,
    openWork: /\bpas encore\b|\breste(?:nt)? à\b|\bmanque(?:nt)? encore\b/i,
  },
  { contrast: /^(?:однако|но)[ ,]/i, openWork: /(?:ещё|еще|пока) не|осталось/i },
  { contrast: /^(?:但是?|不过|不過|然而)/, openWork: /还没|還沒|尚未|仍需|还需要|還需要/ },
  { contrast: /^(?:ただし|しかし|でも)/, openWork: /まだ|未(?:実装|対応|完了)|残って/ },
]

/** The field written as a sentence, with its value on the same line or in the first list item below. */
const REMAINING_WORK = /^\W*(?:remaining|outstanding|still open|(?:still|left) to do)(?: work| tasks?| items?)?\W*:\W*/i
const NOTHING = /\b(?:nothing|none|nobody|no(?! longer\b))\b/i

/**
 * Finds a sentence after a claim that takes it back: "However, empty lines are not refused yet." Both the contrast and the open
 * work are required, so that a harmless remark doesn't cancel a claim.
 */
export function findRetraction(
  lines: readonly Line[],
  own: (index: number) => boolean,
  after: number,
): string | undefined {
  const paragraphs: string[] = ['']
  for (const [index, line] of lines.entries()) {
    if (index <= after) continue
    if (line.blank || listItemText(line.text) !== undefined) paragraphs.push('')
    if (own(index)) paragraphs.push(`${paragraphs.pop()} ${listItemText(line.text) ?? line.text.trim()}`)
  }
  const said = paragraphs.map((text) => text.trim().slice(0, WORDS_LIMIT)).filter((text) => text !== '')
  return (
    said.flatMap(remainingWork)[0] ??
    said.flatMap(sentencesOf).find((each) => TONGUES.some((one) => isRetraction(one, each)))
  )
}

function remainingWork(text: string, index: number, said: readonly string[]): readonly string[] {
  const title = REMAINING_WORK.exec(text)?.[0]
  if (title === undefined) return []
  const named = text.slice(title.length) || (said[index + 1] ?? '')
  return isNone(named) ? [] : [`${title.trim()} ${named}`]
}

/** `No, it does not.` */
const DENIAL = /^\W*no\W+(?:it|that|this|they|I)\b[^.!?]{0,40}(?:\bnot\b|n['’]t\b)/i

function isRetraction({ contrast, openWork }: LanguagePatterns, sentence: string): boolean {
  if (DENIAL.test(sentence)) return true
  const found = contrast.test(sentence) ? openWork.exec(sentence) : null
  return found !== null && !NOTHING.test(sentence.slice(0, found.index))
}
