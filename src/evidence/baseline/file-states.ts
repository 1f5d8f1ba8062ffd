import { join } from 'node:path'
import { repositoryPath } from '../../system/git.ts'
import { indexOf } from '../git-index.ts'
import { type GitOutput, outputOf, parseStatus, runStatus } from '../git-status.ts'
import { type StatSnapshot, StatSnapshotBuilder, snapshotOf, snapshotStatAt } from '../stat-snapshot.ts'
import type { Workspace } from '../types.ts'
import { type Algorithm, algorithmOf, contentId, isSettled, statId, UNREADABLE } from './content-id.ts'
import { type FileTable, hasStat, rowsAmong, UNKNOWN_STAT } from './file-table.ts'

function dirtyPaths(status: string, prefix: string): Set<string> {
  const paths = parseStatus(status).entries.map(({ path }) => path)
  return new Set(paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])))
}

export interface FileStates {
  /** Files written so recently that a later change might not show have no stat here. */
  readonly files: FileTable
  /** Paths that were dirty or untracked. Empty without git: there is nothing to compare with. */
  readonly dirty: ReadonlySet<string>
  readonly gitOutput: GitOutput
  /** Files beyond the cap: known by size and time only. */
  readonly unread: number
}

/** How many files are read and hashed if git does not know their content. */
const MOST_READ = 50_000

/**
 * The content of every file: from git's index where that is reliable, otherwise by reading it. The list may come with a status of git;
 * `askAgain` takes a new one.
 */
export async function fileStates(
  workspace: Workspace,
  { askAgain = false }: { readonly askAgain?: boolean } = {},
): Promise<FileStates> {
  // A file that changes between git's look and ours is newer than the snapshot, so it gets no stat here and is read again later.
  const listed = await (workspace.look?.() ?? workspace.list())
  const snapshot = withoutUnreadable(snapshotOf(workspace.dir, listed))
  const gitOutput = (askAgain ? undefined : outputOf(listed)) ?? (await runStatus(workspace))
  const place = repositoryPath(workspace.dir)
  // Without git, every file has to be read.
  const isKnown = gitOutput.index !== undefined && gitOutput.status !== undefined && place !== undefined
  const index = indexOf(isKnown ? gitOutput.index : '')
  const dirty = isKnown ? dirtyPaths(gitOutput.status, place.prefix) : new Set<string>()
  const sample = index.ids.find((id) => id !== '')
  const algorithm: Algorithm = sample === undefined ? 'sha256' : algorithmOf(sample)
  const indexed = rowsAmong(index.paths, snapshot.paths)
  const ids: string[] = []
  const stats = new Float64Array(snapshot.stats)
  let read = 0
  let unread = 0
  for (const [row, path] of snapshot.paths.entries()) {
    let id = index.ids[indexed[row]!] || undefined
    if (id !== undefined && dirty.size > 0 && dirty.has(path)) id = undefined
    if (id === undefined && read < MOST_READ) {
      read++
      id = contentId(join(workspace.dir, path), algorithm)
    } else if (id === undefined) {
      unread++
      id = statId(snapshotStatAt(snapshot, row)!)
    }
    ids.push(id ?? UNREADABLE)
    if (!isSettled({ ctimeMs: stats[4 * row + 2]! }, snapshot.at)) stats.set(UNKNOWN_STAT, 4 * row)
  }
  return { files: { paths: snapshot.paths, ids, stats }, dirty, gitOutput, unread }
}

/** Files that are listed but can't be looked at have no state. */
function withoutUnreadable(snapshot: StatSnapshot): StatSnapshot {
  const isUnseen = (_: string, row: number) => !hasStat(snapshot, row)
  if (!snapshot.paths.some(isUnseen)) return snapshot
  const seen = new StatSnapshotBuilder(snapshot.at)
  for (const [row, path] of snapshot.paths.entries())
    if (hasStat(snapshot, row)) seen.add(path, snapshotStatAt(snapshot, row))
  return seen.done()
}
