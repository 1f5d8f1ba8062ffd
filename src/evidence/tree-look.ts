import { type Stat, statOf } from './baseline/content-id.ts'

export interface SeenStat extends Stat {
  /** A regular file, and not a link, a pipe or the like. */
  readonly isFile: boolean
}

/** The files of a tree with their stats. */
export interface TreeLook {
  /** When the first of them was taken: what is written later shows in a newer one. */
  readonly at: number
  /** Undefined for a file that is listed and cannot be looked at. */
  readonly stats: ReadonlyMap<string, SeenStat | undefined>
}

const looks = new WeakMap<readonly string[], TreeLook>()

/** Notes what was seen while a list was made, so that asking for 100,000 stats again is spared. */
export function noteLook(listed: readonly string[], look: TreeLook): void {
  looks.set(listed, look)
}

export const wasLookedAt = (listed: readonly string[]): boolean => looks.has(listed)

/** What was seen while the list was made; a list that was made without looking is looked at now. */
export function lookOf(dir: string, listed: readonly string[]): TreeLook {
  const at = Date.now()
  return looks.get(listed) ?? { at, stats: new Map(listed.map((path) => [path, seenStat(`${dir}/${path}`)])) }
}

/** Only what is compared: the whole answer of lstat takes ten times the room. Undefined for a folder too. */
export function seenStat(path: string): SeenStat | undefined {
  const found = statOf(path)
  if (found === undefined || found.isDirectory()) return undefined
  const { size, mtimeMs, ctimeMs, ino } = found
  return { size, mtimeMs, ctimeMs, ino, isFile: found.isFile() }
}
