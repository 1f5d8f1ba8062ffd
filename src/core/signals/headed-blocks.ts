import { BLOCK_LIMIT, type Block, withoutMarkup } from './dialect.ts'
import { type Field, fieldOf, listItemText, readFields } from './fields.ts'
import type { Line } from './lines.ts'
import { unquote } from './values.ts'

/** Longer than any status. */
const JSON_LIMIT = 20_000

interface JsonBody {
  readonly end: number
  readonly fields: Field[]
  /** False for invalid JSON, which is read line by line. */
  readonly complete: boolean
}

/** The JSON object that starts on this line, as fields. Reads at most `limit` characters. */
function jsonAt(lines: readonly Line[], at: number, limit: number): JsonBody {
  let text = ''
  let depth = 0
  let inString = false
  for (let index = at; index < lines.length && text.length < limit; index += 1) {
    const whole = lines[index]?.text ?? ''
    const line = index === at ? whole.slice(whole.indexOf('{')) : whole
    for (let column = 0; column < line.length; column += 1) {
      const char = line[column]
      if (inString && char === '\\') column += 1
      else if (char === '"') inString = !inString
      else if (!inString && char === '{') depth += 1
      else if (!inString && char === '}') depth -= 1
      if (depth > 0) continue
      const fields = parse(text + line.slice(0, column + 1))
      return fields ? { end: index, fields, complete: true } : brokenJsonAt(lines, at, index)
    }
    text += `${line}\n`
  }
  return brokenJsonAt(lines, at, lines.length)
}

const PAIR = /^\s*\{?\s*["']?([A-Za-z]\w{0,63})["']?\s*:\s*(\S.*)$/

/** Reads what it can from an invalid object, up to line `to`. */
function brokenJsonAt(lines: readonly Line[], at: number, to: number): JsonBody {
  const fields: Field[] = []
  let end = at
  for (let index = at; index <= to && index - at < BLOCK_LIMIT; index += 1) {
    const line = lines[index]
    if (!line || line.fence || line.blank) break
    const text = index === at ? line.text.slice(line.text.indexOf('{')) : line.text
    const pair = PAIR.exec(text.slice(0, 2_000))
    if (pair?.[1] && pair[2])
      fields.push({ key: pair[1].toUpperCase(), value: unquote(pair[2].replace(/[\s,}]+$/, '')) })
    // Text after the last pair isn't part of the object.
    if (pair || /^[\s{}[\],]*$/.test(text)) end = index
    if (text.trim().startsWith('}')) break
  }
  return { end, fields, complete: false }
}

function parse(text: string): Field[] | undefined {
  try {
    return flatten(JSON.parse(text) as Record<string, unknown>, '', 2)
  } catch {
    return undefined
  }
}

/** Keys of nested objects get the outer key as a prefix. Lists are joined. */
function flatten(value: Readonly<Record<string, unknown>>, before: string, depth: number): Field[] {
  return Object.entries(value)
    .slice(0, 100)
    .flatMap(([name, inner]): Field[] => {
      const key = before + name.slice(0, 64).toUpperCase()
      if (inner === null) return [{ key, value: '' }]
      if (Array.isArray(inner)) return [{ key, value: inner.map(String).join('; ').slice(0, 2_000) }]
      if (typeof inner === 'object')
        return depth > 0 ? flatten(inner as Record<string, unknown>, `${key}.`, depth - 1) : []
      return [{ key, value: String(inner).slice(0, 2_000) }]
    })
}

/**
 * Blocks under a header `NAME:` alone on its line: indented fields, plain fields, fields in a fence, or a JSON object. A header
 * without a colon counts if fields follow.
 */
export function headedBlocks(
  dialect: string,
  name: string,
  known: ReadonlySet<string>,
  lines: readonly Line[],
): Block[] {
  if (!lines.some(({ text }) => text.includes(name))) return []
  const header = new RegExp(`^${name}[*_\`]*\\s*([:：]?)[*_\`]*\\s*(\\{.*)?$`)
  const blocks: Block[] = []
  // Limits how many broken objects are read in full, so that a message full of them doesn't take quadratic time.
  let patience = 25
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]
    if (!line?.text.includes(name)) continue
    const match = header.exec(withoutMarkup(line.text))
    if (!match) continue
    const { end, fields, complete } = bodyOf(lines, at, known, match[2] !== undefined, patience > 0 ? JSON_LIMIT : 0)
    if (!complete) patience -= 1
    if (fields.length === 0 && match[1] === '') continue
    blocks.push({ dialect, at, end, fields, complete })
    at = end
  }
  return blocks
}

function bodyOf(
  lines: readonly Line[],
  at: number,
  known: ReadonlySet<string>,
  inHeader: boolean,
  jsonLimit: number,
): Pick<Block, 'end' | 'fields' | 'complete'> {
  // Agents put a blank line or a fence between the header and its fields.
  let first = at + 1
  while (lines[first]?.blank) first += 1
  const fence = lines[first]?.fence && lines[first]?.kind === 'fenced'
  if (fence) first += 1
  if (inHeader) return jsonAt(lines, at, jsonLimit)
  if (/^[\s*`-]*\{/.test(lines[first]?.text ?? '')) return jsonAt(lines, first, jsonLimit)
  const end = fence ? fenceEnd(lines, first) : fieldsEnd(lines, at, known)
  return { end, fields: readFields(lines.slice(at + 1, end + 1).filter((inner) => !inner.fence)), complete: true }
}

function fenceEnd(lines: readonly Line[], first: number): number {
  const inner = lines.slice(first, first + BLOCK_LIMIT + 1)
  const closing = inner.findIndex(({ fence }) => fence)
  return first + inner.slice(0, closing < 0 ? inner.length : closing).findLastIndex(({ blank }) => !blank)
}

function fieldsEnd(lines: readonly Line[], at: number, known: ReadonlySet<string>): number {
  const [header, ...inner] = lines.slice(at, at + BLOCK_LIMIT + 1)
  let end = at
  let openList = false
  for (const [offset, line] of inner.entries()) {
    if (line.fence) break
    if (line.blank) {
      if (end > at && !isKnown(inner[offset + 1], known)) break
      continue
    }
    const field = fieldOf(line.text)
    const deeper = line.indent > (header?.indent ?? 0)
    if (!(field ? deeper || belongs(field.key, known) : openList && (deeper || listItemText(line.text) !== undefined)))
      break
    end = at + 1 + offset
    openList = field ? field.value === '' : openList
  }
  return end
}

/** A key without indentation: one of this dialect, or another upper-case key that isn't a dialect of its own. */
function belongs(key: string, known: ReadonlySet<string>): boolean {
  if (known.has(key)) return true
  return known.size > 0 && /^[A-Z][A-Z0-9_]*$/.test(key) && !/^EXIT_|^REMAINING_WORK$/.test(key)
}

function isKnown(line: Line | undefined, known: ReadonlySet<string>): boolean {
  return known.has((line && fieldOf(line.text)?.key) ?? '')
}
