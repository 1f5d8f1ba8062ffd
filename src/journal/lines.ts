import { readSync } from 'node:fs'
import { type EventInput, JOURNAL_VERSION, type JournalEvent } from '../core/journal/events.ts'
import { digest as sha256 } from '../system/digest.ts'

/** The first line has this instead of the hash of a previous line. */
export const NO_PREVIOUS_HASH = '0'.repeat(64)

/** Far longer than any event. A longer line is damage and must not be read into memory. */
export const LONGEST_LINE = 64 * 1024 * 1024

// `,"hash":"` + 64 hex digits + `"}`
const SEAL_LENGTH = 75

const sealText = (digest: string) => `,"hash":"${digest}"}`

interface Sealed {
  readonly text: string
  readonly hash: string
}

/**
 * JSON with one more field at the end: the SHA-256 of all bytes before it. The next line repeats it as `prev`, so no line can be
 * changed or moved unnoticed, and the last line is protected too.
 */
export function sealLine(value: object): Sealed {
  const open = JSON.stringify(value).slice(0, -1)
  const digest = sha256(open)
  return { text: open + sealText(digest), hash: digest }
}

/** The hash of a line, or undefined if any byte was changed. */
export function hashOfLine(line: Buffer): string | undefined {
  const cut = line.length - SEAL_LENGTH
  if (cut < 1) return undefined
  const digest = sha256(line.subarray(0, cut))
  return line.toString('latin1', cut) === sealText(digest) ? digest : undefined
}

/** The JSON inside a sealed line, or undefined if any byte was changed. */
function unseal(line: Buffer): Sealed | undefined {
  const hash = hashOfLine(line)
  return hash === undefined ? undefined : { text: `${line.toString('utf8', 0, line.length - SEAL_LENGTH)}}`, hash }
}

/** The stamps always win, even if the event has its own `seq` or `prev`. */
export function stamp(event: EventInput, stamps: Pick<JournalEvent, 'seq' | 'at' | 'prev' | 'part'>): Sealed {
  const head = { v: JOURNAL_VERSION, ...stamps }
  return sealLine({ ...head, ...event, ...head })
}

type ReadLine =
  | { readonly kind: 'event'; readonly event: JournalEvent; readonly hash: string }
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'broken' }

export function readLine(line: Buffer): ReadLine {
  const sealed = unseal(line)
  const event = parse(sealed?.text ?? line.toString('utf8'))
  const version = event?.v
  if (event === undefined || typeof version !== 'number') return { kind: 'broken' }
  // A later version may seal its lines differently, so trust the version number alone.
  if (version > JOURNAL_VERSION) return { kind: 'newer', version }
  return sealed === undefined ? { kind: 'broken' } : { kind: 'event', event, hash: sealed.hash }
}

function parse(text: string): JournalEvent | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as JournalEvent) : undefined
  } catch {
    return undefined
  }
}

const CHUNK = 1024 * 1024
const NEWLINE = 10
const NONE = Buffer.alloc(0)

export interface Line {
  /** Without its newline. Valid until the next line is read. Empty for a line that is too long. */
  readonly bytes: Buffer
  readonly start: number
  /** Offset of the next line. */
  readonly end: number
  /** False for a last line without a newline. */
  readonly terminated: boolean
}

/** The lines of a file between two offsets, read in constant memory. */
export function* readLines(fd: number, from: number, to: number): Generator<Line, void> {
  let buffer: Buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, to - from)))
  let kept = 0
  let base = from
  let overlong: number | undefined
  for (;;) {
    const room = Math.min(buffer.length - kept, to - base - kept)
    const got = room > 0 ? readSync(fd, buffer, kept, room, base + kept) : 0
    const filled = buffer.subarray(0, kept + got)
    let begin = 0
    for (let newline = filled.indexOf(NEWLINE, kept); newline >= 0; newline = filled.indexOf(NEWLINE, begin)) {
      const end = base + newline + 1
      const bytes = overlong === undefined ? filled.subarray(begin, newline) : NONE
      yield { bytes, start: overlong ?? base + begin, end, terminated: true }
      overlong = undefined
      begin = newline + 1
    }
    kept = filled.length - begin
    if (got === 0) {
      const start = overlong ?? base + begin
      const bytes = overlong === undefined ? filled.subarray(begin) : NONE
      if (base + filled.length > start) yield { bytes, start, end: base + filled.length, terminated: false }
      return
    }
    base += begin
    if (overlong !== undefined || kept > LONGEST_LINE) {
      overlong ??= base
      base += kept
      kept = 0
    } else if (begin > 0) {
      buffer.copy(buffer, 0, begin, begin + kept)
    } else if (kept === buffer.length) {
      const larger = Buffer.allocUnsafe(buffer.length * 2)
      buffer.copy(larger, 0, 0, kept)
      buffer = larger
    }
  }
}

/** The lines from the end of the file to its start, for readers that need only the last few. */
export function* readLinesBackwards(fd: number, size: number): Generator<Line, void> {
  let to = size
  let pending = NONE
  let base = size
  let terminated = false
  while (base > 0) {
    const length = Math.min(Math.max(CHUNK / 16, pending.length), base)
    const chunk = Buffer.allocUnsafe(length + pending.length)
    base -= length
    readSync(fd, chunk, 0, length, base)
    pending.copy(chunk, length)
    let end = chunk.length
    let newline = chunk.lastIndexOf(NEWLINE, length - 1)
    while (newline >= 0) {
      const start = base + newline + 1
      if (start < to) yield { bytes: chunk.subarray(newline + 1, end), start, end: to, terminated }
      terminated = true
      to = start
      end = newline
      newline = newline === 0 ? -1 : chunk.lastIndexOf(NEWLINE, newline - 1)
    }
    pending = chunk.subarray(0, end)
    if (pending.length > LONGEST_LINE) throw new RangeError('a journal line is longer than any event')
  }
  if (to > 0) yield { bytes: pending, start: 0, end: to, terminated }
}
