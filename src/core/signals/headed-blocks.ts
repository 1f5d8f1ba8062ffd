import { BLOCK_LIMIT, type Block, bareText } from './dialect.ts'
import { fieldOf, itemOf, readTree } from './fields.ts'
import { JSON_LIMIT, jsonAt } from './json-body.ts'
import type { Line } from './lines.ts'

/**
 * Blocks under a header `NAME:` alone on its line: indented fields, plain ones, fields in a fence, or a JSON object. A
 * header without its colon counts when fields follow it.
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
  // Broken objects are looked at in full only so many times: a message full of them must not take quadratic time.
  let patience = 25
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]
    if (!line?.text.includes(name)) continue
    const match = header.exec(bareText(line.text))
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
  // Agents put a blank line or the opening of a fence between the header and its fields.
  let first = at + 1
  while (lines[first]?.blank) first += 1
  const fence = lines[first]?.fence && lines[first]?.standing === 'fenced'
  if (fence) first += 1
  const json = jsonAt(lines, inHeader ? at : first, jsonLimit)
  if (json) return json
  const end = fence ? fenceEnd(lines, first) : fieldsEnd(lines, at, known)
  return { end, fields: readTree(lines.slice(at + 1, end + 1).filter((inner) => !inner.fence)), complete: true }
}

function fenceEnd(lines: readonly Line[], first: number): number {
  let end = first - 1
  for (let index = first; index < lines.length && index - first <= BLOCK_LIMIT; index += 1) {
    const line = lines[index]
    if (!line || line.fence) break
    if (!line.blank) end = index
  }
  return end
}

function fieldsEnd(lines: readonly Line[], at: number, known: ReadonlySet<string>): number {
  const header = lines[at]?.indent ?? 0
  let end = at
  let openList = false
  for (let index = at + 1; index < lines.length && index - at <= BLOCK_LIMIT; index += 1) {
    const line = lines[index]
    if (!line || line.fence) break
    if (line.blank) {
      if (end > at && !isKnown(lines[index + 1], known)) break
      continue
    }
    const field = fieldOf(line.text)
    const deeper = line.indent > header
    if (!(field ? deeper || belongs(field.key, known) : openList && (deeper || itemOf(line.text) !== undefined))) break
    end = index
    openList = field ? field.value === '' : openList
  }
  return end
}

/** A key without an indent: one of this dialect, or any other in capitals but those that speak for themselves. */
function belongs(key: string, known: ReadonlySet<string>): boolean {
  if (known.has(key)) return true
  return known.size > 0 && /^[A-Z][A-Z0-9_]*$/.test(key) && !/^EXIT_|^REMAINING_WORK$/.test(key)
}

function isKnown(line: Line | undefined, known: ReadonlySet<string>): boolean {
  const key = line && fieldOf(line.text)?.key
  return key !== undefined && known.has(key)
}
