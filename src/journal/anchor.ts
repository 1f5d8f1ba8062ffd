import { closeSync, constants, fstatSync, readFileSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeFolder, openPlain, removeFile, writeFileAtomic } from '../system/files.ts'
import type { Position } from './chain.ts'
import { JournalError } from './errors.ts'
import { hashOfLine, LONGEST_LINE } from './lines.ts'

type Anchor = Pick<Position, 'seq' | 'hash' | 'start' | 'end'>

/** Folders of workspaces end with a hash. Other journals, such as those of parallel tasks, are parts of a run. */
const WORKSPACE = /-[0-9a-f]{12}$/

/**
 * The last known end of a journal, next to the state folder instead of in it. A state folder that was restored from an earlier copy,
 * or a truncated journal, ends earlier. No command in a sandbox can write there.
 */
function anchorFile(dir: string): string | undefined {
  const session = basename(dirname(dir)) === 'sessions' ? `.${basename(dir)}` : ''
  const own = session === '' ? dir : dirname(dirname(dir))
  return WORKSPACE.test(own) ? join(`${dirname(own)}.heads`, `${basename(own)}${session}.json`) : undefined
}

/** Without it, the next command only notices less. */
export function writeAnchor(dir: string, { seq, hash, start, end }: Position): void {
  const file = anchorFile(dir)
  if (file === undefined) return
  try {
    makeFolder(dirname(file))
    writeFileAtomic(file, [Buffer.from(`${JSON.stringify({ seq, hash, start, end })}\n`)])
  } catch {
    // A read-only place, for example in a container.
  }
}

export function removeAnchor(dir: string): void {
  const file = anchorFile(dir)
  if (file !== undefined) removeFile(file)
}

/** Whether the journal ends before a recorded event, or has another one in its place. Without a descriptor, the journal is missing. */
export function anchorProblem(dir: string, fd?: number): JournalError | undefined {
  const anchor = readAnchor(dir)
  if (anchor === undefined || (fd !== undefined && contains(fd, anchor))) return undefined
  return new JournalError(
    `The journal in ${dir} no longer contains event ${anchor.seq}: it was truncated, deleted or replaced by an earlier copy. ` +
      'If you did that, run: exitgate reset --reason "..."',
  )
}

function contains(fd: number, { hash, start, end }: Anchor): boolean {
  const line = Buffer.alloc(Math.min(Math.max(end - start, 0), LONGEST_LINE))
  const isThere = fstatSync(fd).size >= end && readSync(fd, line, 0, line.length, start) === line.length
  return isThere && hashOfLine(line.subarray(0, -1)) === hash
}

function readAnchor(dir: string): Anchor | undefined {
  const file = anchorFile(dir)
  if (file === undefined) return undefined
  try {
    const fd = openPlain(file, constants.O_RDONLY)
    try {
      const { seq, hash, start, end } = JSON.parse(readFileSync(fd, 'utf8')) as Record<string, unknown>
      const known =
        typeof seq === 'number' && typeof start === 'number' && typeof end === 'number' && typeof hash === 'string'
      return known ? { seq, hash, start, end } : undefined
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}
