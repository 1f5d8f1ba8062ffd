import { closeSync, constants, fstatSync, fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { errorCode, JournalError } from './errors.ts'

// Windows knows neither of the two.
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
const NO_WAIT = constants.O_NONBLOCK ?? 0

/** Opens a regular file and nothing else: a link could lead elsewhere, and a pipe would wait for ever. */
export function openPlain(path: string, flags: number, mode = 0o600): number {
  const fd = openSync(path, flags | NO_FOLLOW | NO_WAIT, mode)
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw new JournalError(`${path} is not a regular file; remove it or choose another place with --state-dir`)
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
