import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { decodeText } from './decode-text.ts'
import { decodeNames, fsPath } from './file-names.ts'

const MOST_BYTES = 2 * 1024 * 1024

/** The real place of a path in a folder; undefined when it is not there, or when `..` or a link leads out of it. */
export function insideOf(dir: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined
  try {
    const real = decodeNames(realpathSync.native(fsPath(resolve(dir, path)), { encoding: 'buffer' }))
    return real === dir || real.startsWith(dir.endsWith(sep) ? dir : dir + sep) ? real : undefined
  } catch {
    return undefined
  }
}

/** Text of a file of the folder; undefined for anything that is not plainly that. */
export function readTextFile(dir: string, path: string): string | undefined {
  const real = insideOf(dir, path)
  // A pipe would keep us waiting on opening it, so the kind is asked first.
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
