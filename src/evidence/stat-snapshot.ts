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

  /** False if there is no such file. It avoids an object per file. */
  addFile(path: string, full: string): boolean {
    const found = statOf(full)
    if (found === undefined || found.isDirectory()) return false
    this.#paths.push(path)
    this.#isFile.push(found.isFile() ? 1 : 0)
    this.#stats.push(found.size, found.mtimeMs, found.ctimeMs, found.ino)
    return true
  }

  add(path: string, stat: SnapshotStat | undefined): void {
    this.#paths.push(path)
    this.#isFile.push(stat?.isFile ? 1 : 0)
    if (stat === undefined) this.#stats.push(...UNKNOWN_STAT)
    else this.#stats.push(stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino)
  }

  /** Sorted. If the paths are those of an earlier look, so is the list. */
  done(before?: Order): StatSnapshot & { readonly order: Order } {
    const [at, stats, isFile] = [this.#at, this.#stats, this.#isFile]
    const order = orderOf(this.#paths, before)
    const { paths, rows } = order
    return rows === undefined
      ? { at, paths, stats, isFile, order }
      : { at, paths, stats: sortedStats(stats, rows), isFile: rows.map((row) => isFile[row]!), order }
  }
}

/** How the paths of a look were sorted. */
export interface Order {
  readonly given: readonly string[]
  /** Undefined if they were sorted already. */
  readonly rows: readonly number[] | undefined
  readonly paths: readonly string[]
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path, row) => path === b[row])

function orderOf(given: readonly string[], before: Order | undefined): Order {
  if (before !== undefined && sameList(given, before.given)) return before
  const rows = ascending(given)
  const paths = rows?.map((row) => given[row]!) ?? given
  return { given, rows, paths: before !== undefined && sameList(paths, before.paths) ? before.paths : paths }
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
