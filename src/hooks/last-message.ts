import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { awake } from '../system/awake-clock.ts'
import { digest } from '../system/digest.ts'
import { openPlain } from '../system/files.ts'
import { type Fields, fieldsOf, listIn, textIn } from './fields.ts'

/** Only the end of the conversation is read. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * The agent's last message in the client's transcript file; undefined if there is none. After an entry of the user, only later text
 * counts: an older message may claim what the last one takes back.
 */
export function lastMessage(path: string): string | undefined {
  let entries: readonly Fields[]
  try {
    entries = entriesIn(lastLines(path))
  } catch {
    return undefined
  }
  const texts = new Map<string, string>()
  for (const [index, entry] of entries.toReversed().entries()) {
    const text = assistantText(entry)
    if (text === 'user') break
    if (text === 'tool' && texts.size > 0) break
    if (text === undefined || text === 'tool') continue
    // An entry that is written again replaces the earlier one.
    const id = textIn(entry, 'id') ?? String(index)
    if (!texts.has(id)) texts.set(id, text.text)
  }
  return texts.size === 0 ? undefined : [...texts.values()].toReversed().join('\n')
}

const LATE_MS = 5000

/** Waits until the client has written its transcript, but not for long. */
export async function completeTranscript(
  path: string,
  isComplete: (lines: readonly string[]) => boolean,
): Promise<void> {
  const until = awake.now() + LATE_MS
  while (awake.now() < until) {
    try {
      if (isComplete(lastLines(path).filter((line) => line !== ''))) return
    } catch {
      // The file does not exist yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The final message of a turn of which the client sends every text, and `seen` of which was there at the last refusal. */
export function lastPart(soFar: string, transcript: string | undefined, seen: string | undefined): string {
  const last = transcript === undefined ? undefined : lastMessage(transcript)
  if (last !== undefined && endsWith(withoutSpace(soFar), withoutSpace(last))) return last
  const added = isSeen(soFar, seen) ? soFar.slice(Number(seen?.split(' ')[0])) : ''
  return added.trim() === '' ? soFar : added
}

/** A short form of the text, to recognize it at the start of a longer one. */
export const seenForm = (soFar: string): string => `${soFar.length} ${digest(soFar)}`

function isSeen(soFar: string, seen: string | undefined): boolean {
  const length = Number(seen?.split(' ')[0] ?? Number.NaN)
  return length <= soFar.length && seenForm(soFar.slice(0, length)) === seen
}

/** Gemini CLI puts spaces between the chunks of a message, and may repeat its last chunk. */
function endsWith(text: string, last: string): boolean {
  const at = text.lastIndexOf(last)
  return at >= 0 && last.endsWith(text.slice(at + last.length))
}

const withoutSpace = (text: string): string => text.replace(/\s+/g, '')

/** The entries of a transcript. An entry with all messages (Gemini CLI, after it compressed them) replaces those before it. */
function entriesIn(lines: readonly string[]): readonly Fields[] {
  const entries: Fields[] = []
  for (const line of lines) {
    const entry = objectIn(line)
    if (entry === undefined) continue
    const replaced = fieldsOf(entry.$set) ?? {}
    if (!Array.isArray(replaced.messages)) entries.push(entry)
    else
      entries.splice(
        0,
        entries.length,
        ...listIn(replaced, 'messages')
          .map(fieldsOf)
          .filter((each) => each !== undefined),
      )
  }
  return entries
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

/** The assistant's text in one entry, or whose entry it is; undefined for anything else. */
function assistantText(entry: Fields): { readonly text: string } | 'user' | 'tool' | undefined {
  const event = fieldsOf(entry.event)
  if (event !== undefined) return textOfEvent(event)
  const body = fieldsOf(entry.message) ?? fieldsOf(entry.payload) ?? fieldsOf(entry.data) ?? entry
  const role = textIn(body, 'role') ?? textIn(entry, 'role') ?? textIn(entry, 'type')?.split('.')[0]
  if (role === 'user' || role === 'human') return 'user'
  if (role === 'tool') return 'tool'
  if (role !== 'assistant' && role !== 'model' && role !== 'gemini') return undefined
  const text = textOf(body.content) ?? textOf(body.text)
  return text?.trim() ? { text } : undefined
}

/** An event of Kimi Code: a part of a message, a tool call, or its result. */
function textOfEvent(event: Fields): { readonly text: string } | 'tool' | undefined {
  if (/^tool\./.test(textIn(event, 'type') ?? '')) return 'tool'
  const part = fieldsOf(event.part) ?? {}
  const text = part.type === 'text' ? textIn(part, 'text') : undefined
  return text?.trim() ? { text } : undefined
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  return listIn({ content }, 'content')
    .flatMap((part) => textIn(fieldsOf(part) ?? {}, 'text') ?? [])
    .join('\n')
}
