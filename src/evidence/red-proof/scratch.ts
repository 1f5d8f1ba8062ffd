import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, sep } from 'node:path'
import { removeFolder } from '../../system/remove-folder.ts'
import { isInside } from '../baseline/inside.ts'
import type { Workspace } from '../types.ts'
import { COPY_LIMITS, type CopyLimits, Mirror } from './mirror.ts'
import { thisOwner } from './owner.ts'
import { putFile } from './put-file.ts'
import { shareIgnored, shareNeighbours } from './share.ts'

export interface ScratchOptions {
  /** Folder in which scratch folders are made and swept; the system's temporary folder when absent. */
  readonly root?: string
  readonly limits?: Partial<CopyLimits>
}

/** A copy of the working tree that nobody else works in. */
export interface Scratch {
  /** Where the workspace is in the copy. */
  readonly dir: string
  /** The repository (or the workspace, where there is none), and its copy. */
  readonly top: { readonly from: string; readonly to: string }
  /** Paths that were not copied. */
  readonly left: readonly string[]
  /** Gives a file of the workspace's copy this content, or takes it away. */
  put(path: string, text: string | undefined): void
  remove(): Promise<void>
}

export const SCRATCH_PREFIX = 'exitgate-scratch-'
export const OWNER_FILE = 'owner.json'

/**
 * Copies the working tree as it lies there, dirty and untracked files included, to a private folder outside of it.
 * Files are read and nothing else: git's index, stash, refs and list of worktrees know nothing of the copy.
 */
export async function makeScratch(workspace: Workspace, options: ScratchOptions = {}): Promise<Scratch> {
  const root = realpathSync.native(options.root ?? tmpdir())
  if (isInside(root, workspace.dir)) throw new Error(`the folder for temporary files, ${root}, lies in the workspace`)
  const from = await topOf(workspace)
  const way = relative(from, workspace.dir).split(sep).join('/')
  const listed = await workspace.list()
  const place = mkdtempSync(join(root, SCRATCH_PREFIX))
  try {
    writeFileSync(join(place, OWNER_FILE), JSON.stringify(thisOwner()), { flag: 'wx', mode: 0o600 })
    mkdirSync(join(place, 'tree'))
    // Some tools go by the name of the folder, so it keeps its own.
    const to = join(place, 'tree', basename(from) || 'root')
    const mirror = new Mirror(from, to, { ...COPY_LIMITS, ...options.limits })
    if (way !== '') shareNeighbours(mirror, way)
    const prefix = way === '' ? '' : `${way}/`
    await mirror.copy(listed.map((path) => prefix + path))
    await shareIgnored(mirror, way)
    const dir = join(to, way)
    return {
      dir,
      top: { from, to },
      left: mirror.left.map((path) => path.slice(prefix.length)),
      put: (path, text) => putFile(dir, path, text),
      remove: () => removeFolder(place),
    }
  } catch (error) {
    await removeFolder(place)
    throw error
  }
}

/** The repository around the workspace: what its files need may lie beside them. */
async function topOf(workspace: Workspace): Promise<string> {
  const said = (await workspace.git(['rev-parse', '--show-toplevel']))?.replace(/\r?\n$/, '')
  if (said === undefined || said === '') return workspace.dir
  try {
    const top = realpathSync.native(said)
    return isInside(workspace.dir, top) ? top : workspace.dir
  } catch {
    return workspace.dir
  }
}
