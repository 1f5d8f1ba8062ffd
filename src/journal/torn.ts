import { closeSync, constants, fdatasyncSync, fsyncSync, ftruncateSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, openPlain, removeFile, syncFolder } from '../system/files.ts'
import type { Position } from './chain.ts'

const CHUNK = 1024 * 1024

/** Cuts an unfinished append off the journal, keeps its bytes in a file of their own, and says so. */
export function cutTornTail(dir: string, fd: number, position: Position, torn: number): string {
  const name = keepAside(dir, fd, position, torn)
  ftruncateSync(fd, position.end)
  fdatasyncSync(fd)
  const after = position.seq === 0 ? 'its beginning' : `event ${position.seq}`
  return `the journal's last entry was not whole: ${torn} bytes after ${after} were cut off and kept in ${name}`
}

function keepAside(dir: string, fd: number, position: Position, torn: number): string {
  for (let n = 1; ; n++) {
    const name = `journal.torn-${position.seq + 1}-${n}`
    const aside = openNew(join(dir, name))
    if (aside === undefined) continue
    try {
      copy(fd, aside, position.end, torn)
      fsyncSync(aside)
    } catch (error) {
      removeFile(join(dir, name))
      throw error
    } finally {
      closeSync(aside)
    }
    syncFolder(dir)
    return name
  }
}

function openNew(path: string): number | undefined {
  try {
    return openPlain(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined
    throw error
  }
}

function copy(from: number, to: number, start: number, length: number): void {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, length))
  for (let done = 0; done < length; ) {
    const got = readSync(from, buffer, 0, Math.min(buffer.length, length - done), start + done)
    if (got === 0) return
    for (let written = 0; written < got; ) written += writeSync(to, buffer, written, got - written)
    done += got
  }
}
