import { type Block, type Dialect, withoutMarkup } from '../dialect.ts'
import { lastValue } from '../fields.ts'
import type { Line } from '../lines.ts'

/**
 * <promise>TEXT</promise>, alone on its line, or at the end of the message after a complete sentence. Inside a sentence, the agent
 * only talks about the tag.
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
  const [open = '', text, close = ''] = lines.slice(at, at + 3).map((line) => withoutMarkup(line.text))
  return /^<promise>$/i.test(open) && /^<\/promise>$/i.test(close) ? text : undefined
}

function normalizeSpaces(text = ''): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}
