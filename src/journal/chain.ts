import { fstatSync } from 'node:fs'
import { JOURNAL_VERSION, type JournalEvent } from '../core/journal/events.ts'
import { JournalError } from './errors.ts'
import { FIRST, hashOfLine, readLine, readLines } from './lines.ts'

/** A place in the journal between two lines, with what the next line must follow. */
export interface Position {
  readonly seq: number
  /** Hash of the line that ends here. */
  readonly hash: string
  readonly at: number
  /** Offsets of the line that ends here. */
  readonly start: number
  readonly end: number
}

export const BEGINNING: Position = { seq: 0, hash: FIRST, at: 0, start: 0, end: 0 }

export interface Link {
  readonly event: JournalEvent
  readonly position: Position
}

/** How the reading ended: at `position`, with so many bytes of an unfinished append after it. */
export interface Tail {
  readonly position: Position
  readonly torn: number
}

/**
 * The events after a position, each held against the line before it. What was appended together comes together or not
 * at all. An unfinished last append is told in the tail; any other damage throws, because nobody knows what it hides.
 */
export function* readChain(fd: number, file: string, from: Position): Generator<Link, Tail> {
  const size = fstatSync(fd).size
  let whole = from
  let last = from
  let group: Link[] = []
  let broken = false
  for (const line of readLines(fd, from.end, size)) {
    const read = readLine(line.bytes)
    if (broken) {
      if (read.kind === 'event' && !recordedWith(read.event, last.seq + 1)) throw damaged(file, last.seq + 1)
      continue
    }
    if (read.kind === 'newer') throw newer(file, last.seq + 1, read.version)
    if (read.kind === 'broken' || !line.terminated) {
      broken = true
      continue
    }
    const { event, hash } = read
    const [nth, count] = event.part ?? [1, 1]
    if (event.prev !== last.hash || event.seq !== last.seq + 1 || nth !== group.length + 1) {
      throw misplaced(file, last.seq + 1)
    }
    last = { seq: event.seq, hash, at: event.at, start: line.start, end: line.end }
    group.push({ event, position: last })
    if (nth < count) continue
    whole = last
    for (const link of group) yield link
    group = []
  }
  return { position: whole, torn: size - whole.end }
}

/** Digits of the version, the number and the time come before `prev`; nothing that a line says about the world does. */
const LONGEST_HEAD = 160

/** Checks every line up to a position against its hash and the line before it, without parsing any. Damage throws. */
export function checkUntil(fd: number, file: string, until: Position): void {
  let { hash } = BEGINNING
  let n = 0
  for (const { bytes } of readLines(fd, 0, until.end)) {
    n += 1
    const own = hashOfLine(bytes)
    if (own === undefined) throw damaged(file, n)
    if (!bytes.toString('latin1', 0, LONGEST_HEAD).includes(`"prev":"${hash}"`)) throw misplaced(file, n)
    hash = own
  }
  if (hash !== until.hash) throw misplaced(file, until.seq)
}

/**
 * When power fails, the pages of one append may reach the disk in any order: its later lines can be good while an
 * earlier one is not. None of them was acknowledged.
 */
function recordedWith(event: JournalEvent, seq: number): boolean {
  return event.seq - (event.part?.[0] ?? 1) + 1 <= seq
}

const REMEDY = '`exitgate reset` begins a new journal and keeps this one aside'

function damaged(file: string, line: number): JournalError {
  return new JournalError(`${file} is damaged at line ${line}: it is not as it was written; ${REMEDY}`)
}

function misplaced(file: string, line: number): JournalError {
  return new JournalError(`${file} is damaged at line ${line}: it does not follow the line before it; ${REMEDY}`)
}

function newer(file: string, line: number, version: number): JournalError {
  return new JournalError(
    `${file} was written by a newer exitgate (line ${line} has version ${version}, this one reads up to ` +
      `${JOURNAL_VERSION}); install that release, or ${REMEDY}`,
  )
}
