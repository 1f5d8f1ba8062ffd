import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeStateFolder } from '../journal/errors.ts'
import { errorCode, openPlain, writeFileAtomic } from '../system/files.ts'
import { type Fields, fieldsOf } from './fields.ts'

const MAX_BYTES = 1024 * 1024

/** An object in a small file of the state folder; undefined if there is no file, `broken` if it can't be read. */
export function readJsonFile(path: string): Fields | 'broken' | undefined {
  let fd: number
  try {
    fd = openPlain(path, constants.O_RDONLY)
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error)) ? undefined : 'broken'
  }
  try {
    if (fstatSync(fd).size > MAX_BYTES) return 'broken'
    return fieldsOf(JSON.parse(readFileSync(fd, 'utf8'))) ?? 'broken'
  } catch {
    return 'broken'
  } finally {
    closeSync(fd)
  }
}

/** Replaces the file atomically. */
export function writeJsonFile(path: string, value: object): void {
  makeStateFolder(dirname(path))
  writeFileAtomic(path, `${JSON.stringify(value)}\n`)
}
