import { lstatSync, readFileSync } from 'node:fs'
import { decodeText } from '../system/decode-text.ts'
import { errorCode } from '../system/files.ts'
import { fileError, InputError } from './errors.ts'

const MEGABYTE = 1024 * 1024

/** Whether something has this name, even a link that leads nowhere. What cannot be looked at is there. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return errorCode(error) !== 'ENOTDIR'
  }
}

/** The text of a file that the person wrote; fails with the file, the reason and a remedy if there is none. */
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
      `${what} ${path} has ${megabytes.toFixed(1)} MB; at most ${mostMegabytes} MB are read, shorten it or name another file`,
    )
  const text = decodeText(bytes)
  if (text === undefined || isBinary(text)) throw new InputError(`${what} ${path} is not text; name a file in UTF-8`)
  return text
}

/** A few wrong characters are a text in an older encoding, in which most is readable. */
const isBinary = (text: string): boolean => (text.match(/\uFFFD/g)?.length ?? 0) > text.length / 10
