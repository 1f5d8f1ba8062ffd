import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { openPlain } from '../system/files.ts'
import { type Fields, fieldsOf, listIn, textIn } from './fields.ts'

/** Only the end of the conversation is read. */
const MAX_BYTES = 4 * 1024 * 1024

/** The agent's last message in the client's transcript file; undefined if there is none. */
export function lastMessage(path: string): string | undefined {
  let lines: readonly string[]
  try {
    lines = lastLines(path)
  } catch {
    return undefined
  }
  const texts: string[] = []
  for (const line of lines.toReversed()) {
    const entry = objectIn(line)
    if (entry === undefined) continue
    const text = assistantText(entry)
    // An earlier entry of the user or a tool ends the message.
    if (text === 'other') {
      if (texts.length > 0) break
      continue
    }
    if (text !== undefined) texts.unshift(text)
  }
  return texts.length === 0 ? undefined : texts.join('\n')
}

function lastLines(path: string): readonly string[] {
  const fd = openPlain(path, constants.O_RDONLY)
  try {
    const { size } = fstatSync(fd)
    const from = Math.max(0, size - MAX_BYTES)
    const bytes = Buffer.alloc(size - from)
    const read = readSync(fd, bytes, 0, bytes.length, from)
    const lines = bytes.toString('utf8', 0, read).split('\n')
    return from === 0 ? lines : lines.slice(1)
  } finally {
    closeSync(fd)
  }
}

function objectIn(line: string): Fields | undefined {
  if (!line.trimStart().startsWith('{')) return undefined
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    return undefined
  }
}

/** The assistant's text in one entry; `other` for an entry of the user or a tool; undefined for anything else. */
function assistantText(entry: Fields): string | 'other' | undefined {
  const body = fieldsOf(entry.message) ?? fieldsOf(entry.payload) ?? fieldsOf(entry.data) ?? entry
  const role = textIn(body, 'role') ?? textIn(entry, 'role') ?? textIn(entry, 'type')?.split('.')[0]
  if (role === 'user' || role === 'tool' || role === 'human') return 'other'
  if (role !== 'assistant' && role !== 'model') return undefined
  const text = textOf(body.content) ?? textOf(body.text)
  return text?.trim() ? text : undefined
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  return listIn({ content }, 'content')
    .flatMap((part) => textIn(fieldsOf(part) ?? {}, 'text') ?? [])
    .join('\n')
}
