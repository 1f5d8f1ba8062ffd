import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import { fsPath } from '../../system/file-names.ts'

/** What lstat reports about a file. Equal stats mean equal content, unless the clock was too coarse to show a change. */
export interface Stat {
  readonly size: number
  readonly mtimeMs: number
  /** The one time that a program cannot set, so resetting the modification time hides nothing. */
  readonly ctimeMs: number
  readonly ino: number
}
export type Algorithm = 'sha1' | 'sha256'

/** Larger files are identified by size, beginning and end. */
const LARGE = 64 * 1024 * 1024
const CHUNK = 1024 * 1024
const PLAIN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export const sameStat = (a: Stat, b: Stat): boolean =>
  a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino

/** Some file systems store whole seconds: a change within that time could leave the stat as it was. */
const COARSEST_CLOCK_MS = 2_000

/** Whether any change after this stat was taken is certain to show in it. */
export const isSettled = ({ ctimeMs }: Pick<Stat, 'ctimeMs'>, at: number): boolean => ctimeMs < at - COARSEST_CLOCK_MS

/** What is at a path, links not followed; undefined if there is nothing, or nothing we may look at. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(fsPath(path), { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Marks a file that existed and could not be read. */
export const UNREADABLE = 'unreadable:'
/** Marks a content that was not read. */
export const statId = ({ size, mtimeMs, ctimeMs, ino }: Stat): string => `stat:${size}:${mtimeMs}:${ctimeMs}:${ino}`

/** Git's own id for a content, so that ids taken from the index and ids computed here are comparable. */
export function blobId(bytes: Uint8Array, algorithm: Algorithm): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

export const algorithmOf = (id: string): Algorithm => (/[0-9a-f]{64}$/.test(id) ? 'sha256' : 'sha1')

/** Bytes of a regular file; undefined for anything else and for unreadable files. Never waits for a pipe. */
export function bytesOf(path: string, most = Number.POSITIVE_INFINITY): Buffer | undefined {
  let fd: number
  try {
    fd = openSync(fsPath(path), PLAIN_FILE)
  } catch {
    return undefined
  }
  try {
    const stat = fstatSync(fd)
    return stat.isFile() && stat.size <= most ? readFileSync(fd) : undefined
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

/** Identity of what is at a path: a blob id, with `link:` in front for a symbolic link and `part:` for a very large file. */
export function contentId(path: string, algorithm: Algorithm): string | undefined {
  const stat = statOf(path)
  try {
    if (stat?.isSymbolicLink()) return `link:${blobId(readlinkSync(fsPath(path), { encoding: 'buffer' }), algorithm)}`
    if (!stat?.isFile()) return undefined
    if (stat.size > LARGE) return `part:${partId(path, stat.size, algorithm)}`
    const bytes = bytesOf(path)
    return bytes && blobId(bytes, algorithm)
  } catch {
    return undefined
  }
}

function partId(path: string, size: number, algorithm: Algorithm): string {
  const fd = openSync(fsPath(path), PLAIN_FILE)
  try {
    const hash = createHash(algorithm).update(`${size}\0`)
    const part = Buffer.alloc(CHUNK)
    for (const at of [0, size - CHUNK]) hash.update(part.subarray(0, readSync(fd, part, 0, CHUNK, at)))
    return hash.digest('hex')
  } finally {
    closeSync(fd)
  }
}

/** Whether a path still has the content with this identity. False if it cannot be read. */
export function hasContent(path: string, id: string): boolean {
  if (id.startsWith('link:') || id.startsWith('part:')) return contentId(path, algorithmOf(id)) === id
  const stat = statOf(path)
  if (id === UNREADABLE) return stat !== undefined && contentId(path, 'sha1') === undefined
  if (id.startsWith('stat:')) return stat !== undefined && statId(stat) === id
  if (!stat?.isFile()) return false
  if (stat.size > LARGE) return wholeId(path, stat.size, algorithmOf(id)) === id
  const bytes = bytesOf(path)
  return bytes !== undefined && isContent(bytes, id)
}

function wholeId(path: string, size: number, algorithm: Algorithm): string | undefined {
  try {
    const fd = openSync(fsPath(path), PLAIN_FILE)
    try {
      const hash = createHash(algorithm).update(`blob ${size}\0`)
      const part = Buffer.alloc(CHUNK)
      for (let read = readSync(fd, part); read > 0; read = readSync(fd, part)) hash.update(part.subarray(0, read))
      return hash.digest('hex')
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

/** Git may store a content in another form than it checks out: other line endings, or a pointer to a large file. */
export function isContent(bytes: Buffer, id: string): boolean {
  const algorithm = algorithmOf(id)
  if (blobId(bytes, algorithm) === id) return true
  if (bytes.includes('\r\n') && blobId(unixLines(bytes), algorithm) === id) return true
  return blobId(pointerTo(bytes), algorithm) === id
}

const unixLines = (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')

function pointerTo(bytes: Buffer): Buffer {
  const oid = createHash('sha256').update(bytes).digest('hex')
  return Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`)
}
