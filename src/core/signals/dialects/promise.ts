import { type Block, type Dialect, withoutMarkup } from '../dialect.ts'
import { lastValue } from '../fields.ts'
import type { Line } from '../lines.ts'

/** <promise>TEXT</promise>, alone on its line or between sentences. Inside a sentence, the agent only talks about the tag. */
export const promise: Dialect = {
  name: 'promise',
  find: ({ lines }) =>
    lines.flatMap((line, at): Block[] => {
      if (!/<promise>/i.test(line.text)) return []
      const three = threeLines(lines, at)
      const value = three ?? oneLine(line.text)
      if (value === undefined) return []
      const end = three === undefined ? at : at + 2
      return [{ dialect: 'promise', at, end, fields: [{ key: 'PROMISE', value }], complete: true }]
    }),
  // Other text in the tag doesn't mean no. It may be the promise of another loop.
  claim: (fields, options) =>
    normalizeSpaces(lastValue(fields, 'PROMISE')) === normalizeSpaces(options.promise ?? 'COMPLETE') ? true : undefined,
  problems: (fields, options) => {
    const said = lastValue(fields, 'PROMISE') ?? ''
    const wanted = options.promise ?? 'COMPLETE'
    return normalizeSpaces(said) === normalizeSpaces(wanted)
      ? []
      : [`promise: expected "${wanted}" in the tag, found "${said}"`]
  },
}

const EMOJI = '[\\u2190-\\u2bff\\u{1f000}-\\u{1faff}]'
const NOTHING_BEFORE = new RegExp(`^(?:[-•*\`_\\s]|${EMOJI}|\\ufe0f)*$`, 'u')
/** A complete sentence, or `All tests pass:`. */
const SENTENCE_BEFORE = new RegExp(`(?:[.!:]|[–—-]\\s|${EMOJI}\\ufe0f?)[*\`_\\s]*$`, 'u')
/** Nothing, or the start of a new sentence. */
const SENTENCE_AFTER = new RegExp(`^[.!*\`_]*(?:\\s*$|\\s+[*_\`("]*(?:\\p{Lu}|\\p{Lo}|[–—-]|${EMOJI}))`, 'u')
/** A sentence of its own that starts with a small letter: `all tasks are done`, but not `comes later`. */
const SMALL_SENTENCE_AFTER =
  /^[.!*`_]*\s+(?:all|both|each|every\w*|nothing|no|the|tests?|\d+|i|we|my|our|done|finished|implementation|tasks?|work)\s/
const TALKS_ABOUT_IT =
  /\b(?:not|never|no|can['’]?t|cannot|won['’]t|don['’]t|will|would|should|could|must|once|until|unless|if|when|after|as soon as|print|output|emit|write|say|format|tag|promise|example|prompt|instructions?)\b/i

/** After the tag, and about it or what is still to come. The work itself may be about output, formats and examples. */
const NOT_YET =
  /\b(?:not|never|can['’]?t|cannot|won['’]t|don['’]t|will|would|should|could|must|once|until|unless|if|(?:when|after) (?:all|every\w*|they|it|the tests)|as soon as|tag|promise|prompt|instructions?)\b/i

function oneLine(line: string): string | undefined {
  const text = line.slice(-500)
  const open = text.toLowerCase().lastIndexOf('<promise>')
  const tag = /^<promise>([^<>]{0,200})<\/promise>/i.exec(text.slice(open))
  if (!tag) return undefined
  const after = text.slice(open + tag[0].length)
  if (!SENTENCE_AFTER.test(after) && !(SMALL_SENTENCE_AFTER.test(after) && !NOT_YET.test(after))) return undefined
  const before = text.slice(0, open)
  if (NOTHING_BEFORE.test(before)) return tag[1]?.trim()
  if (!SENTENCE_BEFORE.test(before)) return undefined
  const sentence = /[.!][*`_\s]*$/.test(before) ? '' : (before.split(/[.!?]\s/).at(-1) ?? '')
  return TALKS_ABOUT_IT.test(sentence) ? undefined : tag[1]?.trim()
}

function threeLines(lines: readonly Line[], at: number): string | undefined {
  const [open = '', text, close = ''] = lines.slice(at, at + 3).map((line) => withoutMarkup(line.text))
  return /^<promise>$/i.test(open) && /^<\/promise>$/i.test(close) ? text : undefined
}

function normalizeSpaces(text = ''): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}
