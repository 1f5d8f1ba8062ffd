import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder, openPlain, writeFileAtomic } from '../system/files.ts'

const BYTES = 32
const TOKEN = /^[\w-]{43}$/

export const newToken = (): string => randomBytes(BYTES).toString('base64url')

/** In a time that tells nothing about how much of it is right. */
export function sameToken(given: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(token))
}

/**
 * The token for a port you chose. It stays the same after a restart, so that an open page keeps working. Only this user can read it. The
 * agent may run as this user, but requests from its processes are refused.
 */
export function keptToken(root: string, port: number): string {
  const path = join(root, `watch-${port}.token`)
  const kept = read(path)
  if (kept !== undefined) return kept
  const token = newToken()
  makeFolder(dirname(path))
  writeFileAtomic(path, token)
  return token
}

/** A file that others can read or write is not a secret. */
function read(path: string): string | undefined {
  let fd: number
  try {
    fd = openPlain(path, constants.O_RDONLY)
  } catch {
    return undefined
  }
  try {
    const { uid, mode, size, nlink } = fstatSync(fd)
    const ours = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
    if (!ours || size > 100 || nlink !== 1) return undefined
    const text = readFileSync(fd, 'utf8')
    return TOKEN.test(text) ? text : undefined
  } finally {
    closeSync(fd)
  }
}
