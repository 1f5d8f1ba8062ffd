import { BLOCK_LIMIT } from './dialect.ts'
import type { Field } from './fields.ts'
import type { Line } from './lines.ts'
import { unquote } from './values.ts'

/** No status is longer. */
export const JSON_LIMIT = 20_000

export interface JsonBody {
  readonly end: number
  readonly fields: Field[]
  /** False for an object that does not parse: what can be read of it is read line by line. */
  readonly complete: boolean
}

/** The JSON object that begins on this line, as fields; undefined when none does. Looks at `limit` characters. */
export function jsonAt(lines: readonly Line[], at: number, limit: number): JsonBody | undefined {
  const begin = lines[at]?.text.indexOf('{') ?? -1
  if (begin < 0 || /[^\w\s*`:："'-]/.test(lines[at]?.text.slice(0, begin) ?? '')) return undefined
  let text = ''
  let depth = 0
  let inString = false
  for (let index = at; index < lines.length && text.length < limit; index += 1) {
    const line = index === at ? (lines[index]?.text.slice(begin) ?? '') : (lines[index]?.text ?? '')
    for (let column = 0; column < line.length; column += 1) {
      const char = line[column]
      if (inString && char === '\\') column += 1
      else if (char === '"') inString = !inString
      else if (!inString && char === '{') depth += 1
      else if (!inString && char === '}') depth -= 1
      if (depth > 0) continue
      const fields = parse(text + line.slice(0, column + 1))
      return fields ? { end: index, fields, complete: true } : brokenAt(lines, at, index)
    }
    text += `${line}\n`
  }
  return brokenAt(lines, at, lines.length)
}

const PAIR = /^\s*\{?\s*["']?([A-Za-z]\w{0,63})["']?\s*:\s*(\S.*)$/

/** What can be read of an object that does not parse, down to the line `to`. */
function brokenAt(lines: readonly Line[], at: number, to: number): JsonBody {
  const fields: Field[] = []
  let end = at
  for (let index = at; index <= to && index - at < BLOCK_LIMIT; index += 1) {
    const line = lines[index]
    if (!line || line.fence || (line.blank && index > at)) break
    const pair = PAIR.exec(line.text.slice(0, 2_000))
    if (pair?.[1] && pair[2])
      fields.push({ key: pair[1].toUpperCase(), value: unquote(pair[2].replace(/[\s,}]+$/, '')) })
    // Words behind the last pair are words, not part of the object.
    if (pair || /^[\s{}[\],]*$/.test(line.text)) end = index
    if (line.text.trim().startsWith('}')) break
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

/** Keys of inner objects get the outer key before them; lists are joined. */
function flatten(value: Readonly<Record<string, unknown>>, before: string, depth: number): Field[] {
  return Object.entries(value)
    .slice(0, 100)
    .flatMap(([name, inner]): Field[] => {
      const key = before + name.slice(0, 64).toUpperCase()
      if (inner === null || inner === undefined) return [{ key, value: '' }]
      if (Array.isArray(inner)) return [{ key, value: inner.map(String).join('; ').slice(0, 2_000) }]
      if (typeof inner === 'object')
        return depth > 0 ? flatten(inner as Record<string, unknown>, `${key}.`, depth - 1) : []
      return [{ key, value: String(inner).slice(0, 2_000) }]
    })
}
