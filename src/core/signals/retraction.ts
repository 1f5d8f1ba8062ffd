import { itemOf } from './fields.ts'
import type { Line } from './lines.ts'
import { sentencesOf } from './sentences.ts'
import { isNone } from './values.ts'

const WORDS_LIMIT = 4_000

interface LanguagePatterns {
  /** How a sentence begins that speaks against the one before. */
  readonly turn: RegExp
  /** What it says when work is left. */
  readonly open: RegExp
}

const ENGLISH: LanguagePatterns = {
  turn: /^\W*(?:however|but|still|that said|unfortunately|except|although|though|nevertheless|(?:please )?note|one (?:thing|caveat)|caveat|todo|wait|hold on|actually|oops|sorry|correction)\b/i,
  open: new RegExp(
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

/** The plainest form alone in the other languages: where it is said in another way, the fields must say it. */
const TONGUES: readonly LanguagePatterns[] = [
  ENGLISH,
  { turn: /^(?:allerdings|jedoch|aber)[ ,]/i, open: /\bnoch (?:nicht|kein\w*|offen|aus\b)|\bfehl(?:t|en) noch\b/i },
  {
    turn: /^(?:sin embargo|pero|no obstante)[ ,]/i,
    open: /(?:todavía|aún) no\b|\bpendientes?\b|\b(?:todavía|aún) falta/i,
  },
  {
    turn: /^(?:cependant|toutefois|mais|par contre)[ ,]/i,
    open: /\bpas encore\b|\breste(?:nt)? à\b|\bmanque(?:nt)? encore\b/i,
  },
  { turn: /^(?:однако|но)[ ,]/i, open: /(?:ещё|еще|пока) не|осталось/i },
  { turn: /^(?:但是?|不过|不過|然而)/, open: /还没|還沒|尚未|仍需|还需要|還需要/ },
  { turn: /^(?:ただし|しかし|でも)/, open: /まだ|未(?:実装|対応|完了)|残って/ },
]

/** The field in the words of a sentence, with what it names on the same line or in the first item below. */
const LEFT = /^\W*(?:remaining|outstanding|still open|(?:still|left) to do)(?: work| tasks?| items?)?\W*:\W*/i
const NOTHING = /\b(?:nothing|none|nobody|no(?! longer\b))\b/i

/**
 * The sentence behind a claim that takes it back: "However, empty lines are not refused yet." It needs both, the turn and what is open,
 * because a claim with a harmless remark behind it must stand.
 */
export function retractionIn(
  lines: readonly Line[],
  own: (index: number) => boolean,
  after: number,
): string | undefined {
  const paragraphs: string[] = ['']
  for (const [index, line] of lines.entries()) {
    if (index <= after) continue
    if (line.blank || itemOf(line.text) !== undefined) paragraphs.push('')
    if (!line.blank && own(index)) paragraphs.push(`${paragraphs.pop()} ${itemOf(line.text) ?? line.text.trim()}`)
  }
  const said = paragraphs.map((text) => text.trim().slice(0, WORDS_LIMIT)).filter((text) => text !== '')
  return (
    said.flatMap(leftOver)[0] ??
    said.flatMap(sentencesOf).find((each) => TONGUES.some((one) => isRetraction(one, each)))
  )
}

function leftOver(text: string, index: number, said: readonly string[]): readonly string[] {
  const title = LEFT.exec(text)?.[0]
  if (title === undefined) return []
  const named = text.slice(title.length) || (said[index + 1] ?? '')
  return named === '' || isNone(named) ? [] : [`${title.trim()} ${named}`]
}

function isRetraction({ turn, open }: LanguagePatterns, sentence: string): boolean {
  const found = turn.test(sentence) ? open.exec(sentence) : null
  return found !== null && !NOTHING.test(sentence.slice(0, found.index))
}
