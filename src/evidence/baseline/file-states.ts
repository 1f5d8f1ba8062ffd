import { join } from 'node:path'
import { askStatus, type GitWords } from '../git-status.ts'
import type { Workspace } from '../types.ts'
import { type Algorithm, algorithmOf, contentId, type Stat, statId, statOf, UNREADABLE } from './content-id.ts'
import { type IndexIds, indexIds } from './index-ids.ts'

/** One file as it was: its content, and the stat by which an untouched file is known without reading it. */
export interface FileState {
  readonly id: string
  /** Absent when the file was written so shortly before that a later change might not show in its stat. */
  readonly stat?: Stat
}

export interface FileStates {
  readonly files: ReadonlyMap<string, FileState>
  /** Paths that were dirty or untracked. Without git none is: there is nothing to compare with. */
  readonly dirty: ReadonlySet<string>
  readonly git?: IndexIds
  readonly words: GitWords
  /** Files beyond the cap: known by size and time only. */
  readonly unread: number
}

/** File systems that count whole seconds exist; a change within that time could leave the stat as it was. */
const COARSEST_CLOCK_MS = 2_000
/** Files that are read and hashed, where git does not know their content. */
const MOST_READ = 50_000

/** The content of every file: from git's index where that can be believed, else by reading it. */
export async function fileStates(workspace: Workspace): Promise<FileStates> {
  const paths = await workspace.list()
  // Before git looks: what changes between the two looks has a newer stat later, and is read again then.
  const stats = new Map(paths.map((path) => [path, statOf(join(workspace.dir, path))]))
  const looked = Date.now()
  const words = await askStatus(workspace)
  const git = indexIds(words)
  const sample = git?.clean.values().next().value
  const algorithm: Algorithm = git !== undefined && sample !== undefined ? algorithmOf(sample) : 'sha256'
  const files = new Map<string, FileState>()
  let read = 0
  let unread = 0
  for (const [path, found] of stats) {
    if (found === undefined) continue
    const { size, mtimeMs, ctimeMs, ino } = found
    let id = git?.clean.get(path)
    if (id === undefined && found.isDirectory()) continue
    if (id === undefined && read < MOST_READ) {
      read++
      id = contentId(join(workspace.dir, path), algorithm)
    } else if (id === undefined) {
      unread++
      id = statId(found)
    }
    const settled = ctimeMs < looked - COARSEST_CLOCK_MS
    files.set(path, { id: id ?? UNREADABLE, ...(settled && { stat: { size, mtimeMs, ctimeMs, ino } }) })
  }
  return { files, dirty: git?.dirty ?? new Set(), ...(git !== undefined && { git }), words, unread }
}
