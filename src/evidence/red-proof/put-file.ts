import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/**
 * Gives a file of a folder this content, or takes it away. Whatever stands in the way, a link above all, is removed
 * and never followed: the content ends up in the folder or nowhere.
 */
export function putFile(dir: string, path: string, text: string | undefined): void {
  const parts = posix.normalize(path).split('/')
  if (path === '' || posix.isAbsolute(path) || parts.includes('..') || path.includes('\0')) {
    throw new Error(`${path} is no path in the folder`)
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
  // A script that is called by its name has to stay one.
  if (text !== undefined) writeFileSync(file, text, { flag: 'wx', mode: was?.isFile() ? was.mode : 0o666 })
}
