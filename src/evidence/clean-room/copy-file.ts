import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { fsPath } from '../../system/file-names.ts'
import { isContent, type Stat, sameStat } from '../baseline/content-id.ts'

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const CHUNK = 4 * 1024 * 1024

/** A file changed while it was copied, so the copy belongs to no tree that was identified. */
export class ChangedWhileCopied extends Error {
  readonly path: string
  constructor(path: string) {
    super(`${path} changed while it was copied`)
    this.path = path
  }
}

/** A file that a room gets. */
export interface CopiedFile {
  readonly kind: 'file'
  /** Where it is copied from. */
  readonly from: string
  /** How that file must look while it is copied. */
  readonly stat: Stat
  /** The id of its content, for a file whose stat may not show a change. */
  readonly id?: string | undefined
  /** The time of the copy; that of the original if absent. */
  readonly time?: Date
}

/** Copies a file through one handle, and only if it is the expected file before and after. */
export function copyExactly(path: string, { from, stat, id, time }: CopiedFile, to: string): void {
  const source = open(path, from)
  try {
    const before = fstatSync(source)
    if (!before.isFile() || !sameStat(before, stat)) throw new ChangedWhileCopied(path)
    const small = before.size <= CHUNK ? readFileSync(source) : undefined
    if (small !== undefined) writeFileSync(fsPath(to), small, { flag: 'wx', mode: modeOf(before) })
    else copyLarge(source, to, modeOf(before))
    if (!sameStat(fstatSync(source), before)) throw new ChangedWhileCopied(path)
    if (id !== undefined && small !== undefined && /^[0-9a-f]+$/.test(id) && !isContent(small, id))
      throw new ChangedWhileCopied(path)
    // Build tools compare times to decide what to rebuild, and a program can set any time.
    utimesSync(fsPath(to), time ?? before.atime, time ?? before.mtime)
  } catch (error) {
    rmSync(fsPath(to), { force: true })
    throw error
  } finally {
    closeSync(source)
  }
}

function open(path: string, from: string): number {
  try {
    return openSync(fsPath(from), READ)
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT' ? new ChangedWhileCopied(path) : error
  }
}

const modeOf = ({ mode }: Stats) => (mode & 0o777) | 0o600

function copyLarge(source: number, to: string, mode: number): void {
  const target = openSync(fsPath(to), 'wx', mode)
  try {
    const part = Buffer.alloc(CHUNK)
    for (let read = readSync(source, part); read > 0; read = readSync(source, part)) writeSync(target, part, 0, read)
  } finally {
    closeSync(target)
  }
}
