import { closeSync, constants, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from '../../system/remove-folder.ts'
import { lifeOf, readOwner } from './owner.ts'
import { OWNER_FILE, SCRATCH_PREFIX } from './scratch.ts'

/** A folder without an owner was left in the moment between its making and its marking, or robbed of the mark. */
const UNMARKED_MS = 60 * 60 * 1000
/** No proof takes so long: what an owner elsewhere has not removed by then it will not remove. */
const ELSEWHERE_MS = 24 * 60 * 60 * 1000

/** Removes the scratch folders whose owner is gone, and says which. To be called at the start, best without waiting. */
export async function sweepScratch(root: string = tmpdir()): Promise<readonly string[]> {
  const removed: string[] = []
  for (const name of namesIn(root)) {
    const place = join(root, name)
    if (!name.startsWith(SCRATCH_PREFIX) || !isAbandoned(place)) continue
    try {
      await removeFolder(place)
      removed.push(place)
    } catch {
      // Something in it belongs to somebody else, or is still in use: the next start tries again.
    }
  }
  return removed
}

function isAbandoned(place: string): boolean {
  const stat = lstatSync(place, { throwIfNoEntry: false })
  // A link, or another user's folder, is not ours whatever its name.
  if (!stat?.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return false
  const text = textOf(join(place, OWNER_FILE))
  const owner = text === undefined ? undefined : readOwner(text)
  if (owner === undefined) return Date.now() - stat.mtimeMs > UNMARKED_MS
  const life = lifeOf(owner)
  return life === 'gone' || (life === 'elsewhere' && Date.now() - owner.at > ELSEWHERE_MS)
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
