import { type Stat, statOf } from './baseline/content-id.ts'
import { ascending, type StatTable, statAt, UNKNOWN_STAT } from './baseline/file-table.ts'

export interface SnapshotStat extends Stat {
  /** A regular file, and not a link, a pipe or the like. */
  readonly isFile: boolean
}

/** The files of a tree with their stats; a file that is listed but can't be looked at has none. */
export interface StatSnapshot extends StatTable {
  /** When the first stat was taken: a file written later has a newer one. */
  readonly at: number
  /** 1 for a regular file. */
  readonly isFile: readonly number[]
}

const snapshots = new WeakMap<readonly string[], StatSnapshot>()

/** Keeps the stats collected while a list was made, so that 100,000 files need not be read again. */
export function rememberSnapshot(listed: readonly string[], snapshot: StatSnapshot): void {
  snapshots.set(listed, snapshot)
}

export const hasSnapshot = (listed: readonly string[]): boolean => snapshots.has(listed)

/** The stats collected while the list was made; collected now if the list was made without them. */
export function snapshotOf(dir: string, listed: readonly string[]): StatSnapshot {
  const noted = snapshots.get(listed)
  if (noted !== undefined) return noted
  const snapshot = new StatSnapshotBuilder()
  for (const path of listed) snapshot.add(path, readStat(`${dir}/${path}`))
  return snapshot.done()
}

/** Collects a look; paths may come in any order, and twice. */
export class StatSnapshotBuilder {
  readonly #at: number
  readonly #paths: string[] = []
  readonly #stats: number[] = []
  readonly #isFile: number[] = []

  constructor(at: number = Date.now()) {
    this.#at = at
  }

  add(path: string, stat: SnapshotStat | undefined): void {
    this.#paths.push(path)
    this.#isFile.push(stat?.isFile ? 1 : 0)
    if (stat === undefined) this.#stats.push(...UNKNOWN_STAT)
    else this.#stats.push(stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino)
  }

  done(): StatSnapshot {
    const order = ascending(this.#paths)
    const [at, paths, stats, isFile] = [this.#at, this.#paths, this.#stats, this.#isFile]
    if (order === undefined) return { at, paths, stats, isFile }
    return {
      at,
      paths: order.map((row) => paths[row]!),
      stats: sortedStats(stats, order),
      isFile: order.map((row) => isFile[row]!),
    }
  }
}

function sortedStats(stats: readonly number[], order: readonly number[]): number[] {
  const sorted: number[] = []
  for (const row of order) sorted.push(stats[4 * row]!, stats[4 * row + 1]!, stats[4 * row + 2]!, stats[4 * row + 3]!)
  return sorted
}

export function snapshotStatAt(snapshot: StatSnapshot, row: number): SnapshotStat | undefined {
  const stat = statAt(snapshot, row)
  return stat && { ...stat, isFile: snapshot.isFile[row] === 1 }
}

/** Only the fields that are compared: the full result of lstat takes ten times the memory. Undefined for a folder too. */
export function readStat(path: string): SnapshotStat | undefined {
  const found = statOf(path)
  if (found === undefined || found.isDirectory()) return undefined
  const { size, mtimeMs, ctimeMs, ino } = found
  return { size, mtimeMs, ctimeMs, ino, isFile: found.isFile() }
}
