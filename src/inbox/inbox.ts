import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, mkdirSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, NotAFileError, openPlain, removeFile } from '../system/files.ts'
import type { Address } from './attempt.ts'
import { type Attempt, type SignalFields, shown, signalOf } from './signal.ts'

const FOLDER = 'inbox'
/** An honest agent sends one line. Of a flood the end is read, because the last word counts. */
const MOST_BYTES = 256 * 1024
const LONGEST_LINE = 16 * 1024
const MOST_SENTENCES = 20

export interface Inbox {
  /** Everything valid that was sent, oldest first. */
  readonly signals: readonly SignalFields[]
  /** What was refused or ignored, in sentences for the journal. */
  readonly refused: readonly string[]
}

/**
 * An inbox of its own for one start of the agent. Those of earlier starts are removed: there is one loop in a workspace, and
 * whatever still writes to an old one is a leftover.
 */
export function openInbox(stateDir: string, { run, iteration }: Omit<Attempt, 'nonce'>): Address {
  const folder = join(stateDir, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) if (name.endsWith('.jsonl')) removeFile(join(folder, name))
  const nonce = randomUUID()
  const inbox = join(folder, `${nonce}.jsonl`)
  closeSync(openPlain(inbox, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL))
  return { run, iteration, nonce, inbox }
}

/**
 * What the agent sent, read after it ended; nothing that was sent before `since`. Never throws: the agent can do to the file what
 * it likes.
 */
export function readInbox(path: string, attempt: Attempt, since = 0): Inbox {
  let text: { readonly lines: readonly string[]; readonly refused: readonly string[] }
  try {
    text = linesOf(path)
  } catch (error) {
    const gone = errorCode(error) === 'ENOENT'
    return {
      signals: [],
      refused: [gone ? 'the inbox for signals was removed while the agent ran' : `the inbox for signals ${why(error)}`],
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

/** After it was read nobody needs it any more; the claim itself is in the journal. */
export function closeInbox(path: string): void {
  try {
    removeFile(path)
  } catch {
    // A folder in its place, or one that may not be written: the next start of an agent gets another inbox anyway.
  }
}

function linesOf(path: string): { lines: readonly string[]; refused: readonly string[] } {
  const fd = openPlain(path, constants.O_RDONLY)
  try {
    const { size } = fstatSync(fd)
    const from = Math.max(0, size - MOST_BYTES)
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES))
    const read = readSync(fd, bytes, 0, bytes.length, from)
    const lines = bytes.subarray(0, read).toString('utf8').split('\n')
    // The first line of the end of a flood is most likely only the end of a line.
    const whole = from === 0 ? lines : lines.slice(1)
    return {
      lines: whole.filter((line) => line.trim() !== ''),
      refused:
        from === 0 ? [] : [`the first ${from} bytes of the signals were not read: the inbox holds ${MOST_BYTES} bytes`],
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
  const refuse = (reason: string): Judged => ({ problems: [`a signal was refused: ${reason}`] })
  if (line.length > LONGEST_LINE)
    return refuse(`it is ${line.length} characters long, at most ${LONGEST_LINE} are read`)
  const value = objectOf(line)
  if (value === undefined) return refuse('it is not a JSON object')
  const { v: _version, at, id, run, iteration, nonce, ...fields } = value
  if (run !== attempt.run) return refuse(`it belongs to another run (${shown(run)})`)
  if (iteration !== attempt.iteration) return refuse(`it belongs to another iteration (${shown(iteration)})`)
  if (nonce !== attempt.nonce) return refuse('it carries the nonce of another start of the agent')
  if (typeof at !== 'number' || at < since) return refuse('it was sent too long ago')
  if (typeof id !== 'string' || id === '') return refuse('it has no id')
  if (seen.has(id)) return refuse('it was sent before; a copy does not count')
  seen.add(id)
  const { signal, problems } = signalOf(fields)
  if (signal === undefined) return refuse(problems.join('; '))
  return { signal, problems: problems.map((problem) => `a signal was heard, but ${problem}`) }
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
  const rest = different.length - MOST_SENTENCES
  return rest <= 0 ? different : [...different.slice(0, MOST_SENTENCES), `and ${rest} more signals were refused`]
}

function why(error: unknown): string {
  if (errorCode(error) === 'ELOOP') return 'was exchanged for a link'
  return error instanceof NotAFileError
    ? 'is not a regular file any more'
    : `cannot be read (${errorCode(error) || String(error)})`
}
