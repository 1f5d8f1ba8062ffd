import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
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

/** Removes a folder and all that is in it; links in it are removed, what they lead to is not touched. */
export async function removeFolder(dir: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 5 } as const
  try {
    await rm(dir, options)
  } catch {
    // A test may have taken its own rights away.
    openUp(dir)
    await rm(dir, options)
  }
}

function openUp(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) openUp(join(folder, entry.name))
  }
}
