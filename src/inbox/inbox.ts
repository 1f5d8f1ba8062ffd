import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, makeFolder, NotAFileError, openPlain, removeFile } from '../system/files.ts'
import type { Address } from './attempt.ts'
import { type Attempt, type SignalFields, shown, signalOf } from './signal.ts'

const FOLDER = 'inbox'
/** An honest agent sends one line. If there is more, only the end is read, because the last signal counts. */
const MAX_BYTES = 256 * 1024
const MAX_LINE = 16 * 1024
const MAX_SENTENCES = 20

export interface Inbox {
  /** All valid signals, oldest first. */
  readonly signals: readonly SignalFields[]
  /** What was rejected or ignored, in sentences for the journal. */
  readonly refused: readonly string[]
}

/** A new inbox for one start of the agent. Inboxes of earlier starts are removed: a process that still writes there is a leftover. */
export function openInbox(stateDir: string, { run, iteration }: Omit<Attempt, 'nonce'>): Address {
  const folder = join(stateDir, FOLDER)
  makeFolder(folder)
  for (const name of readdirSync(folder)) if (name.endsWith('.jsonl')) removeFile(join(folder, name))
  const nonce = randomUUID()
  const inbox = join(folder, `${nonce}.jsonl`)
  closeSync(openPlain(inbox, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL))
  return { run, iteration, nonce, inbox }
}

/** What the agent sent since `since`, read after it ended. Never throws, because the agent can do anything to the file. */
export function readInbox(path: string, attempt: Attempt, since = 0): Inbox {
  let text: { readonly lines: readonly string[]; readonly refused: readonly string[] }
  try {
    text = linesOf(path)
  } catch (error) {
    const gone = errorCode(error) === 'ENOENT'
    return {
      signals: [],
      refused: [gone ? 'The signal inbox was removed while the agent ran.' : `The signal inbox ${why(error)}.`],
    }
  }
  const seen = new Set<string>()
  const signals: SignalFields[] = []
  const refused = [...text.refused]
  for (const line of text.lines) {
    const { signal, problems } = judge(line, attempt, since, seen)
    refused.push(...problems)
    if (signal !== undefined) signals.push(signal)
  }
  return { signals: signals.slice(-50), refused: shortened(refused) }
}

/** Removes an inbox that was read; the claim itself is in the journal. */
export function closeInbox(path: string): void {
  try {
    removeFile(path)
  } catch {
    // The next start of an agent gets another inbox anyway.
  }
}

function linesOf(path: string): { lines: readonly string[]; refused: readonly string[] } {
  const fd = openPlain(path, constants.O_RDONLY)
  try {
    const { size } = fstatSync(fd)
    const from = Math.max(0, size - MAX_BYTES)
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES))
    const read = readSync(fd, bytes, 0, bytes.length, from)
    const lines = bytes.subarray(0, read).toString('utf8').split('\n')
    // If the start was skipped, the first line is probably incomplete.
    const complete = from === 0 ? lines : lines.slice(1)
    return {
      lines: complete.filter((line) => line.trim() !== ''),
      refused:
        from === 0 ? [] : [`The first ${from} bytes of the signals were skipped: at most ${MAX_BYTES} bytes are read.`],
    }
  } finally {
    closeSync(fd)
  }
}

interface Judged {
  readonly signal?: SignalFields
  readonly problems: readonly string[]
}

function judge(line: string, attempt: Attempt, since: number, seen: Set<string>): Judged {
  const refuse = (reason: string): Judged => ({ problems: [`A signal was rejected: ${reason}.`] })
  if (line.length > MAX_LINE) return refuse(`it is ${line.length} characters long, the maximum is ${MAX_LINE}`)
  const value = objectOf(line)
  if (value === undefined) return refuse('it is not a JSON object')
  const { v: _version, at, id, run, iteration, nonce, ...fields } = value
  if (run !== attempt.run) return refuse(`it belongs to another run (${shown(run)})`)
  if (iteration !== attempt.iteration) return refuse(`it belongs to another iteration (${shown(iteration)})`)
  if (nonce !== attempt.nonce) return refuse('it has the nonce of another start of the agent')
  if (typeof at !== 'number' || at < since) return refuse('it was sent too long ago')
  if (typeof id !== 'string' || id === '') return refuse('it has no id')
  if (seen.has(id)) return refuse('it is a copy of an earlier signal')
  seen.add(id)
  const { signal, problems } = signalOf(fields)
  if (signal === undefined) return refuse(problems.join('; '))
  return { signal, problems: problems.map((problem) => `A signal was accepted, but ${problem}.`) }
}

function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function shortened(sentences: readonly string[]): readonly string[] {
  const different = [...new Set(sentences)]
  const rest = different.length - MAX_SENTENCES
  return rest <= 0 ? different : [...different.slice(0, MAX_SENTENCES), `${rest} more signals were rejected.`]
}

function why(error: unknown): string {
  if (errorCode(error) === 'ELOOP') return 'was replaced with a link'
  return error instanceof NotAFileError
    ? 'is no longer a regular file'
    : `can't be read (${errorCode(error) || String(error)})`
}
