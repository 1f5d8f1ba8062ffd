import { type Block, type Dialect, withoutMarkup } from '../dialect.ts'
import { lastValue } from '../fields.ts'
import type { Line } from '../lines.ts'

/** <promise>TEXT</promise>, alone on its line or between complete sentences. Inside a sentence, the agent only talks about the tag. */
export const promise: Dialect = {
  name: 'promise',
  find: ({ lines }) => {
    return lines.flatMap((line, at): Block[] => {
      if (!/<promise>/i.test(line.text)) return []
      const three = threeLines(lines, at)
      const value = three ?? oneLine(line.text)
      if (value === undefined) return []
      return [
        {
          dialect: 'promise',
          at,
          end: three === undefined ? at : at + 2,
          fields: [{ key: 'PROMISE', value }],
          complete: true,
        },
      ]
    })
  },
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
const TALKS_ABOUT_IT =
  /\b(?:not|never|no|can['’]?t|cannot|won['’]t|don['’]t|will|would|should|could|must|once|until|unless|if|when|after|as soon as|print|output|emit|write|say|format|tag|promise|example|prompt|instructions?)\b/i

function oneLine(line: string): string | undefined {
  const text = line.slice(-500)
  const open = text.toLowerCase().lastIndexOf('<promise>')
  const tag = /^<promise>([^<>]{0,200})<\/promise>/i.exec(text.slice(open))
  if (!tag || !SENTENCE_AFTER.test(text.slice(open + tag[0].length))) return undefined
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
