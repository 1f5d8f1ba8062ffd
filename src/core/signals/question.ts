import { listItemText } from './fields.ts'
import type { Line } from './lines.ts'
import { PHRASES } from './phrases.ts'
import { sentencesOf } from './sentences.ts'

/** With a word before the mark: `"?"` and ` = ?` don't ask. */
const ASKS = /[^\s"'“‘(=]\s?[?？؟]\W*$/
/** An agent that asks does so at the end of its message. */
const LAST_SENTENCES = 6
const MOST_CHARACTERS = 400

const PLEAS = PHRASES.filter(({ group }) => group === 'asks' || group === 'ralph-question')
/** "Please let me know if you need anything else" is a farewell. */
const FAREWELL = /\blet me know\b(?! (?:which|whether)\b)/i
/** "Shall I also update the docs?" and "Anything else?" after finished work are manners. */
const OFFER =
  /\b(?:would you like|do you want|want|like) (?:me|us)\b|\b(?:should|shall|may|can) (?:I|we) (?:also|now|next|then|go|proceed|continue|start|move|commit|push|deploy|help)\b|\b(?:any(?:thing|where)|what|something) else\b|\bwhat(?:['’]s| is| should (?:I|we) do| would you like(?: me to do)?) next\b/i

/**
 * What the agent asks the user at the end of its message, or undefined. A question to the user counts, and so does any other one that
 * nothing follows. Headings such as "What's next?", questions that the agent answers itself, and offers after finished work don't.
 */
export function questionIn(
  lines: readonly Line[],
  isProse: (index: number) => boolean,
  reportsDone: boolean,
): string | undefined {
  const said = lines.flatMap(({ text, blank }, index) => {
    if (blank || !isProse(index)) return []
    const item = listItemText(text)
    const isAside = item !== undefined || /^\s*[#|]/.test(text)
    const sentences = sentencesOf((item ?? text).replace(/^[\s#|]+/, ''))
    return sentences.map((sentence) => ({ sentence, isItem: item !== undefined, isAside }))
  })
  const last = said.findLastIndex(({ isAside }) => !isAside)
  const first = Math.max(0, Math.min(last, said.length - LAST_SENTENCES))
  const asked = said.flatMap(({ sentence, isItem }, at) => {
    if (at < first || FAREWELL.test(sentence) || (reportsDone && OFFER.test(sentence))) return []
    const asks = ASKS.test(sentence)
    // The options of "Would you like me to:" follow as a list.
    const opensList = !isItem && sentence.endsWith(':') && said[at + 1]?.isItem === true
    const toUser =
      isPlea(opensList ? `${sentence.slice(0, -1)}?` : sentence) || (asks && !isItem && /\byou\b/i.test(sentence))
    if (!toUser && !(asks && at === last && /\S\s+\S+\s/.test(sentence))) return []
    return opensList ? [sentence, ...itemsAfter(said, at)] : [sentence]
  })
  return asked.length === 0 ? undefined : [...new Set(asked)].join(' ').slice(0, MOST_CHARACTERS)
}

const isPlea = (sentence: string): boolean => PLEAS.some(({ pattern }) => pattern.test(sentence))

function itemsAfter(said: readonly { readonly sentence: string; readonly isItem: boolean }[], at: number) {
  const rest = said.slice(at + 1)
  const end = rest.findIndex(({ isItem }) => !isItem)
  return rest.slice(0, end < 0 ? undefined : end).map(({ sentence }) => sentence)
}
