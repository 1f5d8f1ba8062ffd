import { closeSync, constants, readFileSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { State } from '../core/journal/events.ts'
import { FOLD_VERSION } from '../core/journal/reduce.ts'
import { errorCode, openPlain, writeAll } from '../system/files.ts'
import type { Position } from './chain.ts'
import { LONGEST_LINE } from './lines.ts'

export const SNAPSHOT = 'state.json'

/** The fold up to a position. A cache: whatever is wrong with it, the journal is read from its beginning instead. */
export interface Snapshot {
  readonly fold: number
  readonly position: Position
  /** Checksum of the line that ends at the position. */
  readonly line: string
  readonly state: State
}

/** Not synced: one that a power failure tears apart is known by its checksum, and the journal still has everything. */
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

/** JSON with one more field at its end: the checksum of every byte before that field. */
export function snapshotText(snapshot: Snapshot): string {
  const open = JSON.stringify(snapshot).slice(0, -1)
  return `${open}${sealOf(checksum(Buffer.from(open)))}\n`
}

const sealOf = (sum: string): string => `,"checksum":"${sum}"}`

/** The snapshot if it belongs to this very journal; else nothing, and why when that is remarkable. */
export function readSnapshot(dir: string, journal: number, size: number): Snapshot | { readonly problem?: string } {
  let bytes: Buffer
  try {
    bytes = readWhole(join(dir, SNAPSHOT))
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? {} : { problem: `${SNAPSHOT} cannot be read and is not used` }
  }
  const cut = bytes.length - SEAL_LENGTH - 1
  if (cut < 1 || bytes.toString('latin1', cut) !== `${sealOf(checksum(bytes.subarray(0, cut)))}\n`)
    return { problem: `${SNAPSHOT} is damaged and is not used` }
  const snapshot = JSON.parse(`${bytes.toString('utf8', 0, cut)}}`) as Snapshot
  if (snapshot.fold !== FOLD_VERSION) return {}
  const { seq, end } = snapshot.position
  if (end > size) {
    return { problem: `the journal ends before event ${seq}, which ${SNAPSHOT} still knows: somebody shortened it` }
  }
  return endsAt(journal, snapshot) ? snapshot : { problem: `${SNAPSHOT} is of another journal and is not used` }
}

function readWhole(path: string): Buffer {
  const fd = openPlain(path, constants.O_RDONLY)
  try {
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Whether the very line that the snapshot was made after stands at its place. Its hash vouches for all lines before. */
function endsAt(journal: number, { position, line }: Snapshot): boolean {
  const { start, end } = position
  return start >= 0 && end > start && end - start <= LONGEST_LINE && checksum(lineAt(journal, position)) === line
}

function lineAt(journal: number, { start, end }: Position): Buffer {
  const line = Buffer.alloc(end - start)
  readSync(journal, line, 0, line.length, start)
  return line
}

/**
 * 64 bits in hex that detect accidental damage, not tampering: SHA-256 in JavaScript would take ten times as long.
 */
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
