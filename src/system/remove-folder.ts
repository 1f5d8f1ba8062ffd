import { chmodSync, lstatSync, promises, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A file in it may still be open, or be written while the folder is removed. */
const OPTIONS = { recursive: true, force: true, maxRetries: 5 } as const

/** Removes a folder with its content. Links are removed, not followed. */
export async function removeFolder(dir: string): Promise<void> {
  try {
    await promises.rm(dir, OPTIONS)
  } catch {
    makeWritable(dir)
    await promises.rm(dir, OPTIONS)
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
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(join(folder, entry.name))
  }
}
