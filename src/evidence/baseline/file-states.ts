import { join } from 'node:path'
import { repositoryPath } from '../../system/git.ts'
import { askStatus, type GitWords, indexOf } from '../git-status.ts'
import { LookBuilder, lookOf, seenAt, type TreeLook } from '../tree-look.ts'
import type { Workspace } from '../types.ts'
import { type Algorithm, algorithmOf, contentId, isSettled, statId, UNREADABLE } from './content-id.ts'
import { type FileTable, hasStat, NOT_KNOWN, rowsAmong } from './file-table.ts'

/** Ordinary entries have eight fields before the path, conflicts ten, untracked files one. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

function dirtyPaths(status: string, prefix: string): Set<string> {
  const paths = status.split('\0').flatMap((line) => {
    const fields = FIELDS[line[0] ?? '']
    return fields === undefined ? [] : [line.split(' ').slice(fields).join(' ')]
  })
  return new Set(paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])))
}

export interface FileStates {
  /** Files written so recently that a later change might not show have no stat here. */
  readonly files: FileTable
  /** Paths that were dirty or untracked. Empty without git: there is nothing to compare with. */
  readonly dirty: ReadonlySet<string>
  readonly words: GitWords
  /** Files beyond the cap: known by size and time only. */
  readonly unread: number
}

/** How many files are read and hashed if git does not know their content. */
const MOST_READ = 50_000

/** The content of every file: from git's index where that is reliable, otherwise by reading it. */
export async function fileStates(workspace: Workspace): Promise<FileStates> {
  // Taken before git looks: a file that changes in between gets a newer stat later, and is read again then.
  const look = withoutUnseen(lookOf(workspace.dir, await workspace.list()))
  const words = await askStatus(workspace)
  const place = repositoryPath(workspace.dir)
  // Without git, every file has to be read.
  const isKnown = words.index !== undefined && words.status !== undefined && place !== undefined
  const index = indexOf(isKnown ? words.index : '')
  const dirty = isKnown ? dirtyPaths(words.status, place.prefix) : new Set<string>()
  const sample = index.ids.find((id) => id !== '')
  const algorithm: Algorithm = sample === undefined ? 'sha256' : algorithmOf(sample)
  const indexed = rowsAmong(index.paths, look.paths)
  const ids: string[] = []
  const stats = Float64Array.from(look.stats)
  let read = 0
  let unread = 0
  for (const [row, path] of look.paths.entries()) {
    let id = index.ids[indexed[row]!] || undefined
    if (id !== undefined && dirty.size > 0 && dirty.has(path)) id = undefined
    if (id === undefined && read < MOST_READ) {
      read++
      id = contentId(join(workspace.dir, path), algorithm)
    } else if (id === undefined) {
      unread++
      id = statId(seenAt(look, row)!)
    }
    ids.push(id ?? UNREADABLE)
    if (!isSettled({ ctimeMs: stats[4 * row + 2]! }, look.at)) stats.set(NOT_KNOWN, 4 * row)
  }
  return { files: { paths: look.paths, ids, stats }, dirty, words, unread }
}

/** Files that are listed but can't be looked at have no state. */
function withoutUnseen(look: TreeLook): TreeLook {
  const isUnseen = (_: string, row: number) => !hasStat(look, row)
  if (!look.paths.some(isUnseen)) return look
  const seen = new LookBuilder(look.at)
  for (const [row, path] of look.paths.entries()) if (hasStat(look, row)) seen.add(path, seenAt(look, row))
  return seen.done()
}
