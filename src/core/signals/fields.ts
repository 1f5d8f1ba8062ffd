import { indentOf, type Line } from './lines.ts'
import { unquote } from './values.ts'

/** Reads `KEY: value` lines with any Markdown around them, and nested sections of them. */

export interface Field {
  /** Upper case. A dot joins a section and its key. */
  readonly key: string
  readonly value: string
}

export interface FieldLine {
  readonly key: string
  readonly value: string
  /** Whether it was a list item. */
  readonly item: boolean
}

const VALUE_LIMIT = 2_000
// Emoji are written as surrogate pairs: with the `u` flag, the pattern takes twice as long to compile.
const FIELD =
  /^\s*((?:[-*•]|\d{1,2}[.)])\s+)?(?:#{1,6}\s+)?(?:(?:[\u2190-\u2bff]|[\ud83c\ud83d][\udc00-\udfff]|\ud83e[\udc00-\udeff])\ufe0f?\s*)?([*_`]{0,4})([A-Za-z0-9][A-Za-z0-9_]{0,63}?)([*_`]{0,4})\s*[:：](.*)$/

/** The key and value of one line, or undefined if it isn't a field. The key stays as written. */
export function fieldOf(text: string): FieldLine | undefined {
  if (!text.includes(':') && !text.includes('：')) return undefined
  const match = FIELD.exec(text.includes('\\_') ? text.replaceAll('\\_', '_') : text)
  if (!match) return undefined
  const [, item, open = '', key = '', close = '', rest = ''] = match
  let value = rest.trim().slice(0, VALUE_LIMIT)
  // `**KEY:** value` closes its mark after the colon, `**KEY: value**` at the end of the line.
  if (close === '') {
    if (value.startsWith(open)) value = value.slice(open.length).trim()
    else {
      const end = value.lastIndexOf(open)
      if (end >= 0) value = (value.slice(0, end) + value.slice(end + open.length)).trim()
    }
  }
  // A URL or a path isn't a field: `https://...`, `C:\...`.
  if (/^(?:\/\/|\\)/.test(rest)) return undefined
  return { key, value: unquote(value), item: item !== undefined }
}

/** The text of a list item, or undefined if the line isn't one. */
export function listItemText(text: string): string | undefined {
  const match = /^\s*(?:[-*•]|\d{1,2}[.)])\s+(.*)$/.exec(text)
  return match?.[1]?.slice(0, VALUE_LIMIT).trim()
}

interface Section {
  readonly key: string
  readonly indent: number
  readonly item: boolean
  readonly items: string[]
  /** Whether it contains fields, and so has no value of its own. */
  nested: boolean
}

/**
 * The fields of a block. A key without a value is a section: deeper keys become `SECTION.KEY`, list items and loose deeper lines
 * become its value, joined. Other lines are ignored.
 */
export function readFields(lines: readonly Pick<Line, 'text'>[]): Field[] {
  const fields: Field[] = []
  const open: Section[] = []
  const close = (indent: number) => {
    for (let top = open.at(-1); top && top.indent >= indent; top = open.at(-1)) {
      open.pop()
      if (!top.nested) fields.push({ key: path(open, top.key), value: top.items.join('; ').slice(0, VALUE_LIMIT) })
    }
  }
  for (const { text } of lines) {
    if (text.trim() === '') continue
    const indent = indentOf(text)
    const section = open.at(-1)
    const field = fieldOf(text)
    const item = listItemText(text)
    const under =
      section !== undefined &&
      (indent > section.indent || (indent === section.indent && item !== undefined && !section.item))
    if (under && !section.nested && (field === undefined || (field.item && !section.item))) {
      section.items.push(item ?? text.trim())
      continue
    }
    if (field === undefined) continue
    close(indent)
    const parent = open.at(-1)
    if (parent) parent.nested = true
    const key = field.key.toUpperCase()
    if (field.value === '' && open.length < 4) open.push({ key, indent, item: field.item, items: [], nested: false })
    else fields.push({ key: path(open, key), value: field.value })
  }
  close(0)
  return fields
}

function path(open: readonly Section[], key: string): string {
  return [...open.map((section) => section.key), key].join('.')
}

/** The last value of a key, or undefined. */
export function lastValue(fields: readonly Field[], key: string): string | undefined {
  return fields.findLast((field) => field.key === key)?.value
}
