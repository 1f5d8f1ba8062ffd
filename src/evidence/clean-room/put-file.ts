import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Writes or removes a file in a folder. It replaces links and never follows them, so it never writes outside the folder. */
export function putFile(dir: string, path: string, text: string | undefined): void {
  const parts = posix.normalize(path).split('/')
  if (path === '' || posix.isAbsolute(path) || parts.includes('..') || path.includes('\0')) {
    throw new Error(`${path} is not a path inside the folder`)
  }
  let folder = dir
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part)
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat?.isDirectory()) continue
    if (text === undefined) return
    rmSync(folder, { force: true })
    mkdirSync(folder)
  }
  const file = join(folder, parts.at(-1)!)
  const was = lstatSync(file, { throwIfNoEntry: false })
  rmSync(file, { force: true, recursive: true })
  // An executable script must stay executable.
  if (text !== undefined) writeFileSync(file, text, { flag: 'wx', mode: was?.isFile() ? was.mode : 0o666 })
}
