import type { Stat } from './content-id.ts'

/**
 * Stats of many files by path: sorted paths, and four numbers per file (size, mtimeMs, ctimeMs, ino) in one array. Objects and maps
 * for 100,000 files take many times the memory and time.
 */
export interface StatTable {
  readonly paths: readonly string[]
  readonly stats: ArrayLike<number>
}

/** Files as they were: the id of each content, and the stat that identifies an untouched file without reading it. */
export interface FileTable extends StatTable {
  readonly ids: readonly string[]
}

/** Used where there is no reliable stat. Not equal to any stat, not even to itself. */
export const UNKNOWN_STAT = [Number.NaN, Number.NaN, Number.NaN, Number.NaN] as const

export const hasStat = ({ stats }: StatTable, row: number): boolean => !Number.isNaN(stats[4 * row]!)

export function statAt({ stats }: StatTable, row: number): Stat | undefined {
  const at = 4 * row
  const size = stats[at] ?? Number.NaN
  return Number.isNaN(size)
    ? undefined
    : { size, mtimeMs: stats[at + 1]!, ctimeMs: stats[at + 2]!, ino: stats[at + 3]! }
}

export function sameStatAt(a: StatTable, row: number, b: StatTable, other: number): boolean {
  const [i, j] = [4 * row, 4 * other]
  const [these, those] = [a.stats, b.stats]
  return (
    these[i] === those[j] &&
    these[i + 1] === those[j + 1] &&
    these[i + 2] === those[j + 2] &&
    these[i + 3] === those[j + 3]
  )
}

/** The order of rows that sorts the paths, each path once; undefined if they are already sorted. */
export function ascending(paths: readonly string[]): number[] | undefined {
  let row = 1
  while (row < paths.length && paths[row - 1]! < paths[row]!) row++
  if (row >= paths.length) return undefined
  const order = paths
    .map((_, at) => at)
    .sort((a, b) => (paths[a]! < paths[b]! ? -1 : paths[a] === paths[b] ? a - b : 1))
  return order.filter((each, at) => at === 0 || paths[each] !== paths[order[at - 1]!])
}

/** The row of a path in sorted paths; -1 if it is missing. */
export function rowOf(paths: readonly string[], path: string): number {
  let [from, to] = [0, paths.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (paths[middle]! < path) from = middle + 1
    else to = middle
  }
  return paths[from] === path ? from : -1
}

const joined = new WeakMap<readonly string[], WeakMap<readonly string[], Int32Array>>()

/** For each of some sorted paths, its row among others, or -1. Remembered, because most lists are those of the previous look. */
export function rowsAmong(others: readonly string[], paths: readonly string[]): Int32Array {
  const known = joined.get(paths) ?? new WeakMap<readonly string[], Int32Array>()
  joined.set(paths, known)
  const rows = known.get(others) ?? join(others, paths)
  known.set(others, rows)
  return rows
}

function join(others: readonly string[], paths: readonly string[]): Int32Array {
  const rows = new Int32Array(paths.length).fill(-1)
  let other = 0
  for (let row = 0; row < paths.length && other < others.length; row++) {
    const path = paths[row]!
    while (other < others.length && others[other] !== path && others[other]! < path) other++
    if (others[other] === path) rows[row] = other++
  }
  return rows
}

/** The ids by path. Only external callers need them: 100,000 properties take longer than everything else here. */
export const filesOf = ({ paths, ids }: FileTable): Readonly<Record<string, string>> =>
  Object.fromEntries(paths.map((path, row) => [path, ids[row]!]))

/** A table from rows in any order. */
export function fileTable(entries: Iterable<readonly [path: string, id: string, stat?: Stat | undefined]>): FileTable {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return {
    paths: sorted.map(([path]) => path),
    ids: sorted.map(([, id]) => id),
    stats: sorted.flatMap(([, , stat]) =>
      stat === undefined ? UNKNOWN_STAT : [stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino],
    ),
  }
}
