import { closeSync, constants, fstatSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { openPlain, removeFile, writeAll } from '../journal/plain-file.ts'
import { nonce } from '../system/digest.ts'
import { type Fields, fieldsOf } from './fields.ts'

const MOST_BYTES = 1024 * 1024

/** An object kept in a small file of the state folder; undefined when there is none, `broken` when it cannot be read. */
export function readJsonFile(path: string): Fields | 'broken' | undefined {
  let fd: number
  try {
    fd = openPlain(path, constants.O_RDONLY)
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return missing ? undefined : 'broken'
  }
  try {
    if (fstatSync(fd).size > MOST_BYTES) return 'broken'
    return fieldsOf(JSON.parse(readFileSync(fd, 'utf8'))) ?? 'broken'
  } catch {
    return 'broken'
  } finally {
    closeSync(fd)
  }
}

/** Replaces it as a whole: whoever reads sees the old one or the new one. */
export function writeJsonFile(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${nonce()}`
  const fd = openPlain(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  try {
    writeAll(fd, Buffer.from(`${JSON.stringify(value)}\n`))
  } finally {
    closeSync(fd)
  }
  try {
    renameSync(draft, path)
  } catch (error) {
    removeFile(draft)
    throw error
  }
}
