import { clean } from './lines.ts'

/** Longer stretches without a full stop are cut: no phrase is longer, and matching stays linear. */
const SENTENCE_LIMIT = 600
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|approx|no)$/i

const FIELDS = /\b[A-Z]+(?:_[A-Z]+)+[*`]*\s*:\s*\S+|\b[a-z]+_[a-z_]+\s*:\s*\S+/g

/** Most lines have none of what is taken away, and then need no more than this one look. */
const MARKS = /[^\x20-\x7e]|[`"*:]/

/**
 * The sentences of one line, each with the mark that ends it. Marks of emphasis go; inline code and quotations of more
 * than one word go too, because they are somebody else's words, and so do fields like `EXIT_STATUS: COMPLETE`: they are
 * signals, not sentences.
 */
export function sentencesOf(line: string): string[] {
  const text = MARKS.test(line) ? withoutMarks(clean(line)) : line
  const sentences: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index += 1) {
    const isEnd = '.!?;'.includes(text[index] ?? '') && /^(?:\s|$)/.test(text.slice(index + 1, index + 2))
    const isCut = index - start >= SENTENCE_LIMIT
    if (!isCut && (!isEnd || (text[index] === '.' && ABBREVIATION.test(text.slice(Math.max(start, index - 8), index)))))
      continue
    sentences.push(text.slice(start, index + 1).trim())
    start = index + 1
  }
  sentences.push(text.slice(start).trim())
  return sentences.filter(Boolean)
}

function withoutMarks(text: string): string {
  return text
    .replace(/`[^`]*[\s<][^`]*`/g, ' … ')
    .replace(/"[^"\s]+\s[^"]*"|“[^”\s]+\s[^”]*”/g, ' … ')
    .replace(FIELDS, ' … ')
    .replace(/[*`]+/g, '')
}
