import { clean } from './lines.ts'

/** Longer text without a period is split. No phrase is longer, and matching stays linear. */
const SENTENCE_LIMIT = 600
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|approx|no)$/i

const FIELDS = /\b[A-Z]+(?:_[A-Z]+)+[*`]*\s*:\s*\S+|\b[a-z]+_[a-z_]+\s*:\s*\S+/g

/** Most lines contain nothing to remove, so this one check is enough. */
const MARKS = /[^\x20-\x7e]|[`"*:]/

/**
 * The sentences of a line, each with its final punctuation. Removes emphasis marks, inline code, quotes of several words (someone
 * else's text), and fields such as `EXIT_STATUS: COMPLETE` (signals, not sentences).
 */
export function sentencesOf(line: string): string[] {
  const text = MARKS.test(line) ? withoutMarks(clean(line)) : line
  const sentences: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index += 1) {
    const isEnd = '.!?;'.includes(text[index] ?? '') && /^(?:\s|$)/.test(text.slice(index + 1, index + 2))
    const isCut = index - start >= SENTENCE_LIMIT
    if (!isCut && (!isEnd || (text[index] === '.' && ABBREVIATION.test(text.slice(start, index))))) continue
    sentences.push(text.slice(start, index + 1).trim())
    start = index + 1
  }
  sentences.push(text.slice(start).trim())
  return sentences.filter(Boolean)
}

function withoutMarks(text: string): string {
  return text
    .replace(/`[^`]*`/g, (code) => (/[\s<]/.test(code) ? ' … ' : code))
    .replace(/"[^"\s]+\s[^"]*"|“[^“”\s]+\s[^“”]*”/g, ' … ')
    .replace(FIELDS, ' … ')
    .replace(/[*`]+/g, '')
}
