import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEvent, State } from '../core/journal/events.ts'
import { NO_FOLLOW, writeFileAtomic } from '../system/files.ts'
import { statusJson, statusMarkdown } from './status.ts'

const FOLDER = '.exitgate'
const IGNORE = '*\n'

/**
 * Status for people and programs in the workspace. It is a copy that nobody reads back, so whatever hinders the writing
 * is returned as a problem and stops nothing.
 */
export function writeReadableCopy(
  workspace: string,
  state: State,
  lastEvents: readonly JournalEvent[] = [],
): readonly string[] {
  return writeCopies(workspace, {
    'status.json': statusJson(state),
    'STATUS.md': statusMarkdown(state, lastEvents),
  })
}

/**
 * Writes files into `.exitgate/`. The agent owns the workspace and may have put links there that lead elsewhere: no
 * link is followed, and no existing file is written into, only replaced.
 */
export function writeCopies(workspace: string, files: Readonly<Record<string, string>>): readonly string[] {
  const folder = join(workspace, FOLDER)
  let fd: number | undefined
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o755 })
    fd = openFolder(folder)
    const pinned = pathOf(fd, folder)
    // The ignore file comes first, so that git never sees the others.
    const ignored = isIgnored(pinned) ? [] : writeCopy(pinned, '.gitignore', IGNORE)
    return [...ignored, ...Object.entries(files).flatMap(([name, text]) => writeCopy(pinned, name, text))]
  } catch (error) {
    return [problem(FOLDER, error)]
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function openFolder(folder: string): number | undefined {
  const found = lstatSync(folder)
  if (found.isSymbolicLink()) throw new Error('it is a symbolic link')
  if (!found.isDirectory()) throw new Error('it is not a folder')
  // Windows cannot open a folder.
  if (process.platform === 'win32') return undefined
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | NO_FOLLOW)
  if (fstatSync(fd).ino === found.ino) return fd
  closeSync(fd)
  throw new Error('it was exchanged while it was opened')
}

/** Names the opened folder itself where the system can: exchanging it for a link a moment later changes nothing. */
function pathOf(fd: number | undefined, folder: string): string {
  const pinned = `/proc/self/fd/${fd}`
  return fd !== undefined && existsSync(pinned) ? pinned : folder
}

/** A file as long as ours is ours: it never changes, and what stands in it harms nobody but git's list of new files. */
function isIgnored(folder: string): boolean {
  const found = lstatSync(join(folder, '.gitignore'), { throwIfNoEntry: false })
  return found?.isFile() === true && found.size === IGNORE.length
}

function writeCopy(folder: string, name: string, text: string): readonly string[] {
  const path = join(folder, name)
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) throw new Error('it is a symbolic link')
    if (found !== undefined && !found.isFile()) throw new Error('it is not a regular file')
    writeFileAtomic(path, text, { mode: 0o644 })
    return []
  } catch (error) {
    return [problem(`${FOLDER}/${name}`, error)]
  }
}

function problem(name: string, error: unknown): string {
  // Of "EROFS: read-only file system, open '...'" the first half is for people.
  const why = error instanceof Error ? error.message.split(', ')[0] : String(error)
  return `${name} was not written: ${why}`
}
