import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { decodeText } from './decode-text.ts'
import { decodeNames, fsPath } from './file-names.ts'

const MOST_BYTES = 2 * 1024 * 1024

/** The real path inside a folder. Undefined if it doesn't exist, or if `..` or a link leads outside. */
export function pathInside(dir: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined
  try {
    const real = decodeNames(realpathSync.native(fsPath(resolve(dir, path)), { encoding: 'buffer' }))
    return real === dir || real.startsWith(dir.endsWith(sep) ? dir : dir + sep) ? real : undefined
  } catch {
    return undefined
  }
}

/** The text of a file in the folder. Undefined for anything but a regular text file. */
export function readTextFile(dir: string, path: string): string | undefined {
  const real = pathInside(dir, path)
  // Opening a pipe would block, so check the type first.
  if (real === undefined || !statSync(fsPath(real), { throwIfNoEntry: false })?.isFile()) return undefined
  let file: number | undefined
  try {
    file = openSync(fsPath(real), 'r')
    const { size } = fstatSync(file)
    if (size > MOST_BYTES) return undefined
    const bytes = Buffer.alloc(size)
    let read = 0
    for (let n = 1; n > 0 && read < size; read += n) n = readSync(file, bytes, read, size - read, null)
    return decodeText(bytes.subarray(0, read))
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
