import { closeSync, constants, fstatSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode, openPlain, writeFileAtomic } from '../system/files.ts'
import { type Fields, fieldsOf } from './fields.ts'

const MOST_BYTES = 1024 * 1024

/** An object kept in a small file of the state folder; undefined when there is none, `broken` when it cannot be read. */
export function readJsonFile(path: string): Fields | 'broken' | undefined {
  let fd: number
  try {
    fd = openPlain(path, constants.O_RDONLY)
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error)) ? undefined : 'broken'
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
  writeFileAtomic(path, `${JSON.stringify(value)}\n`)
}
