import { createHash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { entriesOf, fsPath } from '../../system/file-names.ts'
import { readStat, type StatSnapshot, StatSnapshotBuilder } from '../stat-snapshot.ts'
import type { Workspace } from '../types.ts'
import { bytesOf, isSettled, type Stat, sameStat, UNREADABLE } from './content-id.ts'
import { type DependencyFolder, type DependencyKind, dependencyFolders } from './dependency-folders.ts'
import { type FileTable, rowsAmong, sameStatAt, statAt, UNKNOWN_STAT } from './file-table.ts'

/** What was installed in one folder when the baseline was taken. */
export interface InstalledFiles extends DependencyFolder {
  /** Text of the lock file then. */
  readonly lockText?: string
  /** Paths from the folder. */
  readonly files: FileTable
}

/** Larger installations are compared up to here. */
const MOST_FILES = 400_000
const LONGEST_LOCK = 32 * 1024 * 1024
/** Other work gets a turn while many files are hashed. */
const BATCH = 500

/** Caches and notes that tools write next to packages. Nothing imports them by name. */
const NODE_NOTES =
  /^(?:\.cache|\.vite|\.vite-temp|\.vitest[\w-]*|\.tmp|\.package-lock\.json|\.modules\.yaml|\.yarn-integrity|\.yarn-state\.yml|\.pnpm-workspace-state[\w-]*\.json|\.turbo|\.nx|\.astro|\.ignored)$/
/** What a native build leaves next to the library that is loaded. */
const BUILD_REST =
  /\/build\/(?:.*\/)?(?:\.deps\/.*|obj(?:\.target)?\/.*|Makefile|config\.gypi|binding\.Makefile|[\w.-]+\.(?:mk|d|o|a|stamp|gypi|log))$/

/** Whether a file says nothing about what tests load. Compiled Python is judged by its source. */
function isNote(kind: DependencyKind, path: string): boolean {
  if (kind === 'node')
    return NODE_NOTES.test(path.split('/')[0]!) || BUILD_REST.test(path) || path === '.pnpm/lock.yaml'
  return false
}

const isSkipped = (kind: DependencyKind, name: string) =>
  (kind === 'python' && name === '__pycache__') || (kind === 'node' && name === '.git')

/** All files of a folder with their stats; links are files and are not followed. */
function lookAt({ real, kind }: DependencyFolder): StatSnapshot {
  const look = new StatSnapshotBuilder()
  const open = ['']
  let left = MOST_FILES
  for (let folder = open.pop(); folder !== undefined && left > 0; folder = open.pop()) {
    for (const { name, isDirectory } of entriesOf(join(real, folder))) {
      const path = folder + name
      if (isNote(kind, path) || isSkipped(kind, name)) continue
      if (isDirectory) open.push(`${path}/`)
      else {
        left -= 1
        look.add(path, readStat(`${real}/${path}`))
      }
    }
  }
  return look.done()
}

/** Short, because tens of thousands are stored. */
function idOf(path: string, isFile: boolean): string {
  try {
    const bytes = isFile ? bytesOf(path) : readlinkSync(fsPath(path), { encoding: 'buffer' })
    if (bytes === undefined) return UNREADABLE
    const id = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
    return isFile ? id : `link:${id}`
  } catch {
    return UNREADABLE
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Records every installed file. What `known` recorded under the same stat is not read again, so only the first baseline of a project
 * reads everything.
 */
export async function recordDependencies(
  workspace: Workspace,
  known: readonly InstalledFiles[] = [],
): Promise<readonly InstalledFiles[]> {
  const recorded: InstalledFiles[] = []
  for (const folder of await dependencyFolders(workspace)) {
    const look = lookAt(folder)
    const before = known.find(({ path, real }) => path === folder.path && real === folder.real)?.files
    const rows = before === undefined ? undefined : rowsAmong(before.paths, look.paths)
    const ids: string[] = []
    const stats = Float64Array.from(look.stats)
    for (const [row, path] of look.paths.entries()) {
      const at = rows?.[row] ?? -1
      const isSame = at >= 0 && sameStatAt(before!, at, look, row)
      if (!isSame && row % BATCH === 0) await turn()
      ids.push(isSame ? before!.ids[at]! : idOf(`${folder.real}/${path}`, look.isFile[row] === 1))
      if (!isSettled({ ctimeMs: stats[4 * row + 2]! }, look.at)) stats.set(UNKNOWN_STAT, 4 * row)
    }
    const lockText = folder.lock === undefined ? undefined : textOf(folder.lock)
    recorded.push({ ...folder, ...(lockText !== undefined && { lockText }), files: { paths: look.paths, ids, stats } })
  }
  return recorded
}

const textOf = (path: string) => bytesOf(path, LONGEST_LOCK)?.toString('utf8')

/** How one folder differs from what was recorded. Paths from the folder. */
export interface DependencyChange {
  readonly folder: DependencyFolder
  /** The folder did not exist then. */
  readonly isNew: boolean
  /** It led to another place then. */
  readonly movedFrom?: string
  readonly lockBefore?: string
  readonly lockNow?: string
  readonly modified: readonly string[]
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Everything that is installed now. */
  readonly paths: readonly string[]
}

/** Stats of files that were read and had the recorded content, so that no file is read twice by one process. */
const readBefore = new WeakMap<readonly InstalledFiles[], Map<string, Stat>>()

/** Reads only files whose stat changed. A program can set every time of a file except its ctime. */
export async function dependencyChanges(
  recorded: readonly InstalledFiles[],
  workspace: Workspace,
): Promise<readonly DependencyChange[]> {
  const same = readBefore.get(recorded) ?? new Map<string, Stat>()
  readBefore.set(recorded, same)
  const changes: DependencyChange[] = []
  for (const folder of await dependencyFolders(workspace)) {
    const before = recorded.find(({ path }) => path === folder.path)
    const look = lookAt(folder)
    const files = before?.files ?? { paths: [], ids: [], stats: [] }
    const modified: string[] = []
    const removed: string[] = []
    const now = rowsAmong(look.paths, files.paths)
    for (const [row, path] of files.paths.entries()) {
      const at = now[row]!
      if (at < 0) removed.push(path)
      else if (!sameStatAt(files, row, look, at)) {
        const full = `${folder.real}/${path}`
        const stat = statAt(look, at)
        const known = same.get(full)
        if (stat !== undefined && known !== undefined && sameStat(stat, known)) continue
        if (row % BATCH === 0) await turn()
        if (idOf(full, look.isFile[at] === 1) !== files.ids[row]) modified.push(path)
        else if (stat !== undefined && isSettled(stat, look.at)) same.set(full, stat)
      }
    }
    const then = rowsAmong(files.paths, look.paths)
    const added = look.paths.filter((_, row) => then[row]! < 0)
    const moved = before !== undefined && before.real !== folder.real
    if (modified.length + removed.length + added.length === 0 && !moved) continue
    const lockBefore = recorded.find(({ lock }) => lock !== undefined && lock === folder.lock)?.lockText
    const lockNow = folder.lock === undefined ? undefined : textOf(folder.lock)
    changes.push({
      folder,
      isNew: before === undefined,
      ...(moved && { movedFrom: before.real }),
      ...(lockBefore !== undefined && { lockBefore }),
      ...(lockNow !== undefined && { lockNow }),
      modified,
      added,
      removed,
      paths: look.paths,
    })
  }
  return changes
}
