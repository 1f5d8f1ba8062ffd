import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { nonce } from './digest.ts'

// Windows knows neither of the two.
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
const NO_WAIT = constants.O_NONBLOCK ?? 0

/** The code the system gave, such as ENOENT; empty when the error is of another kind. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A folder, a pipe or a device where a file belongs. */
export class NotAFileError extends Error {
  readonly path: string

  constructor(path: string) {
    super(`${path} is not a regular file`)
    this.name = 'NotAFileError'
    this.path = path
  }
}

/** Opens a regular file and nothing else: a link could lead elsewhere, and a pipe would wait for ever. */
export function openPlain(path: string, flags: number, mode = 0o600): number {
  const fd = openSync(path, flags | NO_FOLLOW | NO_WAIT, mode)
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw new NotAFileError(path)
}

export interface AtomicWrite {
  /** Permissions of the new file, as far as the umask lets it have them. */
  readonly mode?: number
  /** Permissions it has whatever the umask says. */
  readonly exactMode?: number
  /** On the disk before it gets its name; `syncFolder` does the same for the name. */
  readonly sync?: boolean
  /** Fails with EEXIST instead of replacing what has this name. */
  readonly onlyNew?: boolean
}

/** Gives a file its content as a whole: readers see the old one or the new one. A link of this name is replaced, not followed. */
export function writeFileAtomic(
  path: string,
  content: string | Buffer | readonly Buffer[],
  options: AtomicWrite = {},
): void {
  const { mode = 0o600, exactMode, sync = false, onlyNew = false } = options
  const draft = `${path}.${nonce()}.tmp`
  let made = false
  try {
    const fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, mode)
    made = true
    try {
      if (exactMode !== undefined) fchmodSync(fd, exactMode)
      for (const part of typeof content === 'string' ? [Buffer.from(content)] : [content].flat()) writeAll(fd, part)
      if (sync) fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    if (onlyNew) linkNew(draft, path)
    else renameSync(draft, path)
    made = onlyNew
  } finally {
    if (made) removeFile(draft)
  }
}

/** A link is made only where nothing is; file systems without links get a copy. */
function linkNew(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error
    copyFileSync(draft, path, constants.COPYFILE_EXCL)
  }
}

/** Makes a new name in a folder survive a power failure, where the system can. */
export function syncFolder(dir: string): void {
  let fd: number
  try {
    fd = openSync(dir, constants.O_RDONLY)
  } catch {
    return
  }
  try {
    fsyncSync(fd)
  } catch {
    // Some file systems cannot sync a folder; the file itself is synced all the same.
  } finally {
    closeSync(fd)
  }
}

/** Writes all of it. `writeFileSync` does the same, but loads a quarter of a millisecond of code first. */
export function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
}

/** Removes a file that may be gone already. `rmSync` does the same, but loads half a millisecond of code first. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
