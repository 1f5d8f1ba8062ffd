import { fstatSync } from 'node:fs'
import { JOURNAL_VERSION, type JournalEvent } from '../core/journal/events.ts'
import { JournalError } from './errors.ts'
import { hashOfLine, NO_PREVIOUS_HASH, readLine, readLines } from './lines.ts'

/** A position between two lines of the journal, with what the next line must link to. */
export interface Position {
  readonly seq: number
  /** Hash of the line that ends here. */
  readonly hash: string
  readonly at: number
  /** Byte offsets of the line that ends here. */
  readonly start: number
  readonly end: number
}

export const BEGINNING: Position = { seq: 0, hash: NO_PREVIOUS_HASH, at: 0, start: 0, end: 0 }

export interface Link {
  readonly event: JournalEvent
  readonly position: Position
}

/** Where reading ended, and the number of bytes of an unfinished append after that. */
export interface Tail {
  readonly position: Position
  readonly torn: number
}

/**
 * Yields the events after a position and checks that each links to the line before it. Groups are yielded as a whole or not at all.
 * Reports an unfinished last append in the tail; throws on any other damage, because it could hide anything.
 */
export function* readChain(fd: number, file: string, from: Position): Generator<Link, Tail> {
  const size = fstatSync(fd).size
  let lastComplete = from
  let last = from
  let group: Link[] = []
  let broken = false
  for (const line of readLines(fd, from.end, size)) {
    const read = readLine(line.bytes)
    if (broken) {
      if (read.kind === 'event' && !isSameAppend(read.event, last.seq + 1)) throw damagedError(file, last.seq + 1)
      continue
    }
    if (read.kind === 'newer') throw newerVersionError(file, last.seq + 1, read.version)
    if (read.kind === 'broken' || !line.terminated) {
      broken = true
      continue
    }
    const { event, hash } = read
    const [nth, count] = event.part ?? [1, 1]
    if (event.prev !== last.hash || event.seq !== last.seq + 1 || nth !== group.length + 1) {
      throw misplacedError(file, last.seq + 1)
    }
    last = { seq: event.seq, hash, at: event.at, start: line.start, end: line.end }
    group.push({ event, position: last })
    if (nth < count) continue
    lastComplete = last
    for (const link of group) yield link
    group = []
  }
  return { position: lastComplete, torn: size - lastComplete.end }
}

/** The version, number and time come before `prev`, and their length is limited. */
const LONGEST_HEAD = 160

/** Checks the hash and link of every line up to a position without parsing. Throws on damage. */
export function checkLinesUntil(fd: number, file: string, until: Position): void {
  let { hash } = BEGINNING
  let n = 0
  for (const { bytes } of readLines(fd, 0, until.end)) {
    n += 1
    const own = hashOfLine(bytes)
    if (own === undefined) throw damagedError(file, n)
    if (!bytes.toString('latin1', 0, LONGEST_HEAD).includes(`"prev":"${hash}"`)) throw misplacedError(file, n)
    hash = own
  }
  if (hash !== until.hash) throw misplacedError(file, until.seq)
}

/**
 * After a power failure, the pages of one append may be on disk in any order: later lines can be intact while an earlier one isn't.
 * None of them was acknowledged.
 */
function isSameAppend(event: JournalEvent, seq: number): boolean {
  return event.seq - (event.part?.[0] ?? 1) + 1 <= seq
}

const REMEDY = 'Run `exitgate reset` to archive this journal and start a new one.'

function damagedError(file: string, line: number): JournalError {
  return new JournalError(`${file} is damaged at line ${line}: the checksum does not match. ${REMEDY}`)
}

function misplacedError(file: string, line: number): JournalError {
  return new JournalError(`${file} is damaged at line ${line}: it does not follow from the line before it. ${REMEDY}`)
}

function newerVersionError(file: string, line: number, version: number): JournalError {
  return new JournalError(
    `${file} was written by a newer exitgate (line ${line} has format version ${version}; this release reads up to ` +
      `${JOURNAL_VERSION}). Update exitgate. ${REMEDY}`,
  )
}
