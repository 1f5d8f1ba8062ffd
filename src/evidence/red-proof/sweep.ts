import { closeSync, constants, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from '../../system/remove-folder.ts'
import { ownerState, readOwner } from './owner.ts'
import { OWNER_FILE, SCRATCH_PREFIX } from './scratch.ts'

/** A folder without an owner: its process ended before it wrote the file, or the file was deleted. */
const UNMARKED_MS = 60 * 60 * 1000
/** No run takes this long, so a folder of another machine is abandoned by then. */
const ELSEWHERE_MS = 24 * 60 * 60 * 1000

/**
 * Removes scratch folders whose owner has ended, and returns their paths. Call it at the start; there is no need to wait for it.
 */
export async function sweepScratch(root: string = tmpdir()): Promise<readonly string[]> {
  const removed: string[] = []
  for (const name of namesIn(root)) {
    const place = join(root, name)
    if (!name.startsWith(SCRATCH_PREFIX) || !isAbandoned(place)) continue
    try {
      await removeFolder(place)
      removed.push(place)
    } catch {
      // Some of its files belong to another user or are in use. The next start tries again.
    }
  }
  return removed
}

function isAbandoned(place: string): boolean {
  const stat = lstatSync(place, { throwIfNoEntry: false })
  // A link or another user's folder is never removed, whatever its name.
  if (!stat?.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return false
  const text = textOf(join(place, OWNER_FILE))
  const owner = text === undefined ? undefined : readOwner(text)
  if (owner === undefined) return Date.now() - stat.mtimeMs > UNMARKED_MS
  const state = ownerState(owner)
  return state === 'ended' || (state === 'elsewhere' && Date.now() - owner.at > ELSEWHERE_MS)
}

function textOf(file: string): string | undefined {
  try {
    const fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      return readFileSync(fd, 'utf8')
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
