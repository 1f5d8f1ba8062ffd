import { closeSync, constants, fsyncSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Position } from './chain.ts'
import { errorCode } from './errors.ts'
import type { State } from './events.ts'
import { LONGEST_LINE, seal, unseal } from './line.ts'
import { openPlain } from './plain-file.ts'
import { FOLD_VERSION } from './reduce.ts'

export const SNAPSHOT = 'state.json'

/** The fold up to a position. A cache: whatever is wrong with it, the journal is read from its beginning instead. */
export interface Snapshot {
  readonly fold: number
  readonly position: Position
  readonly state: State
}

export function writeSnapshot(dir: string, position: Position, state: State): void {
  const path = join(dir, SNAPSHOT)
  const draft = `${path}.tmp`
  const fd = openPlain(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
  try {
    writeFileSync(fd, `${seal({ fold: FOLD_VERSION, position, state } satisfies Snapshot).text}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, path)
}

/** The snapshot if it belongs to this very journal; else nothing, and why when that is remarkable. */
export function readSnapshot(dir: string, fd: number, size: number): Snapshot | { readonly problem?: string } {
  let bytes: Buffer
  try {
    bytes = readWhole(join(dir, SNAPSHOT))
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? {} : { problem: `${SNAPSHOT} cannot be read and is not used` }
  }
  const sealed = bytes.at(-1) === 10 ? unseal(bytes.subarray(0, -1)) : undefined
  if (sealed === undefined) return { problem: `${SNAPSHOT} is damaged and is not used` }
  const snapshot = JSON.parse(sealed.text) as Snapshot
  if (snapshot.fold !== FOLD_VERSION) return {}
  const { seq, end } = snapshot.position
  if (end > size) {
    return { problem: `the journal ends before event ${seq}, which ${SNAPSHOT} still knows: somebody shortened it` }
  }
  return endsAt(fd, snapshot.position) ? snapshot : { problem: `${SNAPSHOT} is of another journal and is not used` }
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
function endsAt(fd: number, { start, end, hash }: Position): boolean {
  if (!(start >= 0 && end > start && end - start <= LONGEST_LINE)) return false
  const line = Buffer.alloc(end - start)
  readSync(fd, line, 0, line.length, start)
  return line.at(-1) === 10 && unseal(line.subarray(0, -1))?.hash === hash
}
