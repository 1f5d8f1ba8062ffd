import { closeSync, constants, fstatSync, readFileSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { State } from '../core/journal/events.ts'
import { FOLD_VERSION } from '../core/journal/reduce.ts'
import { errorCode, openPlain, writeAll } from '../system/files.ts'
import type { Position } from './chain.ts'
import { LONGEST_LINE } from './lines.ts'

export const SNAPSHOT = 'state.json'

/** The state at a position. It is a cache: if it is invalid, the journal is read from the beginning. */
export interface Snapshot {
  readonly fold: number
  readonly position: Position
  /** Checksum of the line that ends at the position. */
  readonly line: string
  readonly state: State
}

/** Not synced: the checksum reveals a snapshot damaged by a power failure, and the journal still has everything. */
export function writeSnapshot(dir: string, journal: number, position: Position, state: State): void {
  const path = join(dir, SNAPSHOT)
  const draft = `${path}.tmp`
  const line = checksum(lineAt(journal, position))
  const fd = openPlain(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
  try {
    writeAll(fd, Buffer.from(snapshotText({ fold: FOLD_VERSION, position, line, state })))
  } finally {
    closeSync(fd)
  }
  renameSync(draft, path)
}

// `,"checksum":"` + 16 hex digits + `"}`
const SEAL_LENGTH = 31

/** JSON with one more field at the end: the checksum of all bytes before it. */
export function snapshotText(snapshot: Snapshot): string {
  const open = JSON.stringify(snapshot).slice(0, -1)
  return `${open}${sealOf(checksum(Buffer.from(open)))}\n`
}

const sealOf = (sum: string): string => `,"checksum":"${sum}"}`

/** The snapshot if it belongs to this journal. Otherwise nothing, with a problem if that is unexpected. */
export function readSnapshot(dir: string, journal: number): Snapshot | { readonly problem?: string } {
  let bytes: Buffer
  try {
    bytes = readFully(join(dir, SNAPSHOT))
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? {} : { problem: `ignored ${SNAPSHOT}, because it can't be read` }
  }
  const cut = bytes.length - SEAL_LENGTH - 1
  if (cut < 1 || bytes.toString('latin1', cut) !== `${sealOf(checksum(bytes.subarray(0, cut)))}\n`)
    return { problem: `ignored ${SNAPSHOT}, because it is damaged` }
  const snapshot = JSON.parse(`${bytes.toString('utf8', 0, cut)}}`) as Snapshot
  if (snapshot.fold !== FOLD_VERSION) return {}
  const { seq, end } = snapshot.position
  // Look at the size last, because a run may be writing both.
  if (end > fstatSync(journal).size) {
    return { problem: `the journal was truncated: ${SNAPSHOT} contains event ${seq}, but the journal ends before it` }
  }
  return matchesJournal(journal, snapshot)
    ? snapshot
    : { problem: `ignored ${SNAPSHOT}, because it belongs to another journal` }
}

function readFully(path: string): Buffer {
  const fd = openPlain(path, constants.O_RDONLY)
  try {
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Whether the line at that position is the one the snapshot was made after. Its hash covers all lines before it. */
function matchesJournal(journal: number, { position, line }: Snapshot): boolean {
  const { start, end } = position
  return start >= 0 && end > start && end - start <= LONGEST_LINE && checksum(lineAt(journal, position)) === line
}

function lineAt(journal: number, { start, end }: Position): Buffer {
  const line = Buffer.alloc(end - start)
  readSync(journal, line, 0, line.length, start)
  return line
}

/** A 64-bit checksum in hex. It detects accidental damage, not tampering; SHA-256 would take ten times as long. */
export function checksum(bytes: Uint8Array): string {
  const words = new Int32Array((bytes.length + 3) >>> 2)
  new Uint8Array(words.buffer).set(bytes)
  let a = 0x811c9dc5 | 0
  let b = bytes.length | 0
  for (let i = 0; i < words.length; i++) {
    a = Math.imul(a ^ words[i]!, 0x01000193)
    b = Math.imul(b ^ words[i]! ^ (a >>> 15), 0x85ebca6b)
  }
  return [a ^ (a >>> 16), b ^ (b >>> 13)].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
