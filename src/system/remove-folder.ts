import { chmodSync, lstatSync, promises, readdirSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { entriesOf, fsPath } from './file-names.ts'

/** A file in it may still be open, or be written while the folder is removed. */
const OPTIONS = { recursive: true, force: true, maxRetries: 5 } as const

/** Removes a folder with its content. Links are removed, not followed. */
export async function removeFolder(dir: string): Promise<void> {
  await removeFiles(dir).catch(() => {})
  try {
    await promises.rm(dir, OPTIONS)
  } catch {
    makeWritable(dir)
    await promises.rm(dir, OPTIONS)
  }
}

/** Files between two moments in which the process can react, for example to Ctrl+C. */
const FILES_AT_ONCE = 200

/** Node's own `rm` starts with all files at the same time, which takes 300 MB of memory for 100,000 of them. */
async function removeFiles(dir: string): Promise<void> {
  const folders = [dir]
  let removed = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // A process may have replaced it with a link since it was listed.
    if (!lstatSync(fsPath(folder), { throwIfNoEntry: false })?.isDirectory()) continue
    for (const { name, isDirectory } of entriesOf(folder)) {
      if (isDirectory) folders.push(join(folder, name))
      else unlinkSync(fsPath(join(folder, name)))
      removed += 1
      if (removed % FILES_AT_ONCE === 0) await setImmediate()
    }
  }
}

/** Synchronous, for the exit of the process. */
export function removeFolderSync(dir: string): void {
  try {
    rmSync(dir, OPTIONS)
  } catch {
    makeWritable(dir)
    rmSync(dir, OPTIONS)
  }
}

/** A program that ran there may have removed the write permission. */
function makeWritable(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name))
}
