import { chmodSync, lstatSync, promises, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Something may still be open in it, or be written into it while it is removed. */
const OPTIONS = { recursive: true, force: true, maxRetries: 5 } as const

/** Removes a folder and all that is in it; links in it are removed, what they lead to is not touched. */
export async function removeFolder(dir: string): Promise<void> {
  try {
    await promises.rm(dir, OPTIONS)
  } catch {
    openUp(dir)
    await promises.rm(dir, OPTIONS)
  }
}

/** The same where nothing else can be done meanwhile, as at the exit of the process. */
export function removeFolderSync(dir: string): void {
  try {
    rmSync(dir, OPTIONS)
  } catch {
    openUp(dir)
    rmSync(dir, OPTIONS)
  }
}

/** A program that ran in there may have taken away the permission to write. */
function openUp(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) openUp(join(folder, entry.name))
  }
}
