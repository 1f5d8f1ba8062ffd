import { join } from 'node:path'
import { placeOf } from '../../system/git.ts'
import { askStatus, type GitWords, indexEntries } from '../git-status.ts'
import { lookOf } from '../tree-look.ts'
import type { Workspace } from '../types.ts'
import { type Algorithm, algorithmOf, contentId, isSettled, type Stat, statId, UNREADABLE } from './content-id.ts'

/** What git says about the files of a workspace, as far as it can be believed without looking at them. */
interface IndexIds {
  /** Ids of tracked files without local changes; `link:` marks a symbolic link. */
  readonly clean: ReadonlyMap<string, string>
  /** Tracked with local changes, or untracked. */
  readonly dirty: ReadonlySet<string>
}

/** Plain files and links have a content; a submodule has a commit, and files of its own. */
const KINDS: Readonly<Record<string, string>> = { '100644': '', '100755': '', '120000': 'link:' }
/** Ordinary entries have eight fields before the path, conflicts ten, untracked files one. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

/** Undefined without git: then every file has to be looked at. */
function indexIds({ index: entries, status }: GitWords, dir: string): IndexIds | undefined {
  const place = placeOf(dir)
  if (entries === undefined || status === undefined || place === undefined) return undefined
  const dirty = dirtyPaths(status, place.prefix)
  return { clean: cleanIds(entries, dirty), dirty }
}

function dirtyPaths(status: string, prefix: string): Set<string> {
  const paths = status.split('\0').flatMap((line) => {
    const fields = FIELDS[line[0] ?? '']
    return fields === undefined ? [] : [line.split(' ').slice(fields).join(' ')]
  })
  return new Set(paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])))
}

/** Another letter than H means that git was told to look away from that file. */
function cleanIds(entries: string, dirty: ReadonlySet<string>): Map<string, string> {
  const clean = new Map<string, string>()
  for (const { head, path } of indexEntries(entries)) {
    const [letter, mode, id, stage] = head.split(' ')
    const kind = KINDS[mode ?? '']
    if (letter !== 'H' || kind === undefined || id === undefined || stage !== '0' || dirty.has(path)) continue
    clean.set(path, `${kind}${id}`)
  }
  return clean
}

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
  readonly words: GitWords
  /** Files beyond the cap: known by size and time only. */
  readonly unread: number
}

/** Files that are read and hashed, where git does not know their content. */
const MOST_READ = 50_000

/** The content of every file: from git's index where that can be believed, else by reading it. */
export async function fileStates(workspace: Workspace): Promise<FileStates> {
  // Before git looks: what changes between the two looks has a newer stat later, and is read again then.
  const { at, stats } = lookOf(workspace.dir, await workspace.list())
  const words = await askStatus(workspace)
  const git = indexIds(words, workspace.dir)
  const sample = git?.clean.values().next().value
  const algorithm: Algorithm = git !== undefined && sample !== undefined ? algorithmOf(sample) : 'sha256'
  const files = new Map<string, FileState>()
  let read = 0
  let unread = 0
  for (const [path, stat] of stats) {
    if (stat === undefined) continue
    let id = git?.clean.get(path)
    if (id === undefined && read < MOST_READ) {
      read++
      id = contentId(join(workspace.dir, path), algorithm)
    } else if (id === undefined) {
      unread++
      id = statId(stat)
    }
    files.set(path, { id: id ?? UNREADABLE, ...(isSettled(stat, at) && { stat }) })
  }
  return { files, dirty: git?.dirty ?? new Set(), words, unread }
}
