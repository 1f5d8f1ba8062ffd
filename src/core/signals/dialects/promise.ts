import { type Block, bareText, type Dialect } from '../dialect.ts'
import { lastOf } from '../fields.ts'
import type { Line } from '../lines.ts'

/**
 * <promise>TEXT</promise>, alone on its line or at the end of the message behind a finished sentence. Inside a sentence
 * it is talk about the tag.
 */
export const promise: Dialect = {
  name: 'promise',
  find: ({ lines }) => {
    const last = lines.findLastIndex(({ blank, fence }) => !blank && !fence)
    return lines.flatMap((line, at): Block[] => {
      if (!/<promise>/i.test(line.text)) return []
      const three = threeLines(lines, at)
      const value = three ?? oneLine(line.text, at === last)
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
  // Another text in the tag is no "no": it may be the promise of another loop.
  claim: (fields, options) =>
    same(lastOf(fields, 'PROMISE')) === same(options.promise ?? 'COMPLETE') ? true : undefined,
  odd: (fields, options) => {
    const said = lastOf(fields, 'PROMISE') ?? ''
    const wanted = options.promise ?? 'COMPLETE'
    return same(said) === same(wanted) ? [] : [`promise: the tag says "${said}", not "${wanted}"`]
  },
}

const MARKS = /^[\s.!*`_]*$/
const NOTHING_BEFORE = /^(?:[-•*`_\s]|[\u2190-\u2bff\u{1f000}-\u{1faff}]|\ufe0f)*$/u
const SENTENCE_BEFORE = /(?:[.!]|[\u2190-\u2bff\u{1f000}-\u{1faff}]\ufe0f?)[*`_\s]*$/u

function oneLine(line: string, closes: boolean): string | undefined {
  const text = line.trim().slice(-500)
  const open = text.toLowerCase().lastIndexOf('<promise>')
  const tag = open < 0 ? undefined : /^<promise>([^<>]{0,200})<\/promise>/i.exec(text.slice(open))
  if (!tag || !MARKS.test(text.slice(open + tag[0].length))) return undefined
  const before = text.slice(0, open)
  if (!NOTHING_BEFORE.test(before) && !(closes && SENTENCE_BEFORE.test(before))) return undefined
  return tag[1]?.trim()
}

function threeLines(lines: readonly Line[], at: number): string | undefined {
  const [open = '', text, close = ''] = lines.slice(at, at + 3).map((line) => bareText(line.text))
  return /^<promise>$/i.test(open) && /^<\/promise>$/i.test(close) ? text : undefined
}

function same(text = ''): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}
