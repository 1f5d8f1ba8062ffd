import { accessSync, constants, lstatSync, readFileSync } from 'node:fs'
import { decodeText } from '../system/decode-text.ts'
import { errorCode } from '../system/files.ts'
import { fileError, InputError } from './errors.ts'

const MEGABYTE = 1024 * 1024

/** Whether anything has this name, even a dangling link. If that can't be read, it exists. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return errorCode(error) !== 'ENOTDIR'
  }
}

/** A missing file is another problem. */
export function assertReadable(what: string, path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    if (!/^ENO/.test(errorCode(error))) throw fileError(what, path, error)
  }
}

/** The text of a file that the user wrote. */
export function readText(what: string, path: string, mostMegabytes: number): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw fileError(what, path, error)
  }
  const megabytes = bytes.length / MEGABYTE
  if (megabytes > mostMegabytes)
    throw new InputError(
      `${what} ${path} has ${megabytes.toFixed(1)} MB, and the limit is ${mostMegabytes} MB. Shorten it, or pass another file.`,
    )
  const text = decodeText(bytes)
  if (text === undefined || isBinary(text)) throw new InputError(`${what} ${path} is not text. Pass a file in UTF-8.`)
  return text
}

/** A few wrong characters are a text in an older encoding, which is still mostly readable. */
const isBinary = (text: string): boolean => (text.match(/\uFFFD/g)?.length ?? 0) > text.length / 10
