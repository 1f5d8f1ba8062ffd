import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { pathInside } from '../../system/read-file.ts'
import { statOf, UNREADABLE } from '../baseline/content-id.ts'
import { type DependencyFolder, dependencyFolders } from '../baseline/dependency-folders.ts'
import type { FileStates } from '../baseline/file-states.ts'
import { hasStat, rowOf, rowsAmong, statAt } from '../baseline/file-table.ts'
import { isInside } from '../baseline/inside.ts'
import { type StatSnapshot, snapshotOf } from '../stat-snapshot.ts'
import type { Workspace } from '../types.ts'
import { type RoomEntries, type RoomEntry, targetOf } from './room-folder.ts'

/** The files of a tree at the moment it was identified. */
export interface FrozenTree {
  readonly top: string
  readonly dependencies: readonly DependencyFolder[]
  readonly snapshot: StatSnapshot
  /** Ids of contents that are needed where a stat may not show a change. */
  readonly seen: FileStates
}

/** The list must be the one that `seen` was made from: a cached workspace keeps it until a command runs. */
export async function frozenTree(workspace: Workspace, seen: FileStates): Promise<FrozenTree> {
  const { dir: top } = workspace
  return {
    top,
    dependencies: await dependencyFolders(workspace),
    snapshot: snapshotOf(top, await workspace.list()),
    seen,
  }
}

/** The entries of a tree. Those of its files are made when they are needed: objects for 100,000 files take a lot of memory. */
class FileEntries implements RoomEntries {
  readonly #paths: readonly string[]
  readonly #entryOf: (path: string, row: number) => RoomEntry
  readonly #isFile: Uint8Array
  readonly #others = new Map<string, RoomEntry>()

  constructor(paths: readonly string[], entryOf: (path: string, row: number) => RoomEntry) {
    this.#paths = paths
    this.#entryOf = entryOf
    this.#isFile = new Uint8Array(paths.length)
  }

  addFile(row: number): void {
    this.#isFile[row] = 1
  }

  leaveOut(path: string): void {
    const row = rowOf(this.#paths, path)
    if (row >= 0) this.#isFile[row] = 0
  }

  /** Replaces the file of that path. */
  set(path: string, entry: RoomEntry): void {
    this.#others.set(path, entry)
  }

  get(path: string): RoomEntry | undefined {
    const row = rowOf(this.#paths, path)
    return this.#others.get(path) ?? (this.#isFile[row] === 1 ? this.#entryOf(path, row) : undefined)
  }

  *[Symbol.iterator](): Iterator<readonly [string, RoomEntry]> {
    for (const [row, path] of this.#paths.entries())
      if (this.#isFile[row] === 1 && !this.#others.has(path)) yield [path, this.#entryOf(path, row)]
    yield* this.#others
  }
}

export interface TreeEntries {
  readonly entries: FileEntries
  readonly problems: readonly string[]
}

/**
 * What belongs into a copy of the tree: its files, and links that stay inside. Files written later than `since` get times
 * that no program chose: sources are new, and whatever could pass for their build output is old.
 */
export function treeEntries({ top, snapshot, seen }: FrozenTree, seenAs: string, since = Infinity): TreeEntries {
  const problems: string[] = []
  const rows = rowsAmong(seen.files.paths, snapshot.paths)
  const now = new Date()
  const isReal = realFolders(top)
  const entries = new FileEntries(snapshot.paths, (path, row) => {
    const stat = statAt(snapshot, row)!
    // A file that was written a moment ago is compared by content too.
    const id = hasStat(seen.files, rows[row]!) ? undefined : seen.files.ids[rows[row]!]
    const time = stat.ctimeMs > since ? (languageOf(path) === undefined ? LONG_AGO : now) : undefined
    return { kind: 'file', from: join(top, path), stat, ...(id !== undefined && { id }), ...(time && { time }) }
  })
  for (const [row, path] of snapshot.paths.entries()) {
    // Git also lists what it finds through a link that replaced a folder.
    if (!hasStat(snapshot, row) || !isReal(dirname(path))) continue
    if (seen.files.ids[rows[row]!] === UNREADABLE)
      problems.push(`${path} can't be read, so the clean room does not have it.`)
    else if (snapshot.isFile[row] === 1) entries.addFile(row)
    else addLink(path, join(top, path))
  }
  return { entries, problems }

  function addLink(path: string, full: string): void {
    if (!statOf(full)?.isSymbolicLink()) return
    const target = targetOf(full)
    const goal = resolve(dirname(full), target)
    const leaves = !isInside(goal, top) || (pathInside(top, path) === undefined && statOf(goal) !== undefined)
    if (leaves && !/(?:^|\/)node_modules\//.test(relative(top, goal))) {
      problems.push(`${path} is a link to ${target}, outside the project. The clean room does not have it.`)
    } else entries.set(path, { kind: 'link', target: isAbsolute(target) ? join(seenAs, relative(top, goal)) : target })
  }
}

const LONG_AGO = new Date('2001-01-01T00:00:00Z')

/** Whether a folder of the tree and all folders above it are folders, and not links. */
function realFolders(top: string): (folder: string) => boolean {
  const known = new Map<string, boolean>([['.', true]])
  const isReal = (folder: string): boolean => {
    const before = known.get(folder)
    if (before !== undefined) return before
    const real = isReal(dirname(folder)) && statOf(join(top, folder))?.isDirectory() === true
    known.set(folder, real)
    return real
  }
  return isReal
}
