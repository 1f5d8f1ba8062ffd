import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, sep } from 'node:path'
import { removeFolder } from '../../system/remove-folder.ts'
import { makeTemporaryFolder } from '../../system/temporary-folder.ts'
import { isInside } from '../baseline/inside.ts'
import {
  BUILD_FILES,
  BUILD_OUTPUT,
  CACHES,
  DEPENDENCIES,
  isCompiled,
  REPOSITORY_FOLDERS,
} from '../clean-room/folder-names.ts'
import { putFile } from '../clean-room/put-file.ts'
import type { Workspace } from '../types.ts'
import { COPY_LIMITS, type CopyLimits, TreeCopy } from './tree-copy.ts'

/** An ignored folder within these limits is copied. A larger one is data and is left out. */
const SMALL = { files: 2_000, bytes: 64 * 1024 * 1024 }
const LARGE = { files: 40_000, bytes: 512 * 1024 * 1024 }

/** Adds ignored files that tests need: dependencies as links, small files as copies. */
async function shareIgnored(copy: TreeCopy, below = ''): Promise<void> {
  const own = copy.folders.filter((folder) => below === '' || folder === below || folder.startsWith(`${below}/`))
  for (const folder of own) {
    for (const entry of entriesOf(join(copy.from, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (REPOSITORY_FOLDERS.has(entry.name) || lstatSync(join(copy.to, path), { throwIfNoEntry: false })) continue
      // node_modules may itself be a link that several trees share.
      if (entry.isDirectory() || entry.name === 'node_modules') await shareFolder(copy, path, entry.name)
      else if (!BUILD_FILES.test(path) && !isCompiled(copy.to, path)) await copy.addFiles([path])
    }
  }
}

async function shareFolder(copy: TreeCopy, path: string, name: string): Promise<void> {
  const contains = (...parts: string[]) => existsSync(join(copy.from, path, ...parts))
  if (name === 'node_modules') return shareModules(copy, path)
  if (contains('pyvenv.cfg')) return linkOriginal(copy, path)
  // PHP resolves the real path of its loader, and would load the original sources from there.
  if (contains('composer', 'installed.json')) return copyWithin(copy, path, LARGE)
  if (contains('..', 'mix.exs') && name === 'deps') return linkOriginal(copy, path)
  // Cargo identifies the project's crates by path, and can reuse compiled dependencies.
  if (contains('..', 'Cargo.toml') && name === 'target') return copyWithin(copy, path, LARGE)
  if (DEPENDENCIES.has(name) || path.includes('node_modules/')) return linkOriginal(copy, path)
  if (!BUILD_OUTPUT.has(name)) await copyWithin(copy, path, SMALL)
}

const linkOriginal = (copy: TreeCopy, path: string) => symlinkSync(join(copy.from, path), join(copy.to, path))

/**
 * A new folder with one link per package. So caches are not written into the original, and packages of the workspace point to the
 * copy.
 */
function shareModules(copy: TreeCopy, path: string): void {
  mkdirSync(join(copy.to, path))
  for (const { name } of entriesOf(join(copy.from, path))) {
    const inner = `${path}/${name}`
    if (CACHES.has(name)) continue
    const grouped = name === '.bin' || name.startsWith('@')
    if (grouped && lstatSync(join(copy.from, inner)).isDirectory()) {
      mkdirSync(join(copy.to, inner))
      for (const entry of entriesOf(join(copy.from, inner))) shareModule(copy, `${inner}/${entry.name}`)
    } else shareModule(copy, inner)
  }
}

function shareModule(copy: TreeCopy, path: string): void {
  const original = join(copy.from, path)
  let real = original
  try {
    real = realpathSync.native(original)
  } catch {
    // A broken link stays broken in the copy.
  }
  const own = isInside(real, copy.from) && !/(?:^|\/)node_modules(?:\/|$)/.test(relative(copy.from, real))
  symlinkSync(own ? copy.pathInCopy(real) : original, join(copy.to, path))
}

async function copyWithin(copy: TreeCopy, path: string, limits: typeof SMALL): Promise<void> {
  const files: string[] = []
  let bytes = 0
  const folders = [path]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(copy.from, folder))) {
      const inner = `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!REPOSITORY_FOLDERS.has(entry.name)) folders.push(inner)
        continue
      }
      files.push(inner)
      bytes += lstatSync(join(copy.from, inner), { throwIfNoEntry: false })?.size ?? 0
      if (files.length > limits.files || bytes > limits.bytes) return copy.skip(`${path}/`)
    }
  }
  await copy.addFiles(files)
}

/** If the workspace is a folder of a larger repository, its neighbours are linked. */
function shareNeighbours(copy: TreeCopy, path: string): void {
  const workspacePath = path.split('/')
  for (const [depth, next] of workspacePath.entries()) {
    const folder = workspacePath.slice(0, depth).join('/')
    for (const { name } of entriesOf(join(copy.from, folder))) {
      const inner = folder === '' ? name : `${folder}/${name}`
      if (name === next || REPOSITORY_FOLDERS.has(name) || BUILD_OUTPUT.has(name)) continue
      if (name === 'node_modules') shareModules(copy, inner)
      else linkOriginal(copy, inner)
    }
    copy.folder(workspacePath.slice(0, depth + 1).join('/'))
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

export interface ScratchOptions {
  /** The folder for scratch folders; the system's temporary folder if absent. */
  readonly root?: string
  readonly limits?: Partial<CopyLimits>
}

/** A private copy of the working tree. */
export interface Scratch {
  /** The workspace in the copy. */
  readonly dir: string
  /** The repository (or else the workspace) and its copy. */
  readonly top: { readonly from: string; readonly to: string }
  /** Paths that were not copied. */
  readonly skipped: readonly string[]
  /** Writes or removes a file in the copy of the workspace. */
  put(path: string, text: string | undefined): void
  remove(): Promise<void>
}

/**
 * Copies the working tree, including uncommitted and untracked files, to a private folder outside it. It only reads: git's index,
 * stash, refs and worktree list don't change.
 */
export async function makeScratch(workspace: Workspace, options: ScratchOptions = {}): Promise<Scratch> {
  const root = realpathSync.native(options.root ?? tmpdir())
  if (isInside(root, workspace.dir)) throw new Error(`the folder for temporary files, ${root}, is inside the workspace`)
  const from = await topOf(workspace)
  const workspacePath = relative(from, workspace.dir).split(sep).join('/')
  const listed = await workspace.list()
  const place = makeTemporaryFolder('scratch', root)
  try {
    mkdirSync(join(place, 'tree'))
    // Some tools use the folder's name, so the copy has the same one.
    const to = join(place, 'tree', basename(from) || 'root')
    const copy = new TreeCopy(from, to, { ...COPY_LIMITS, ...options.limits })
    if (workspacePath !== '') shareNeighbours(copy, workspacePath)
    const prefix = workspacePath === '' ? '' : `${workspacePath}/`
    await copy.addFiles(listed.map((path) => prefix + path))
    await shareIgnored(copy, workspacePath)
    const dir = join(to, workspacePath)
    return {
      dir,
      top: { from, to },
      skipped: copy.skipped.map((path) => path.slice(prefix.length)),
      put: (path, text) => putFile(dir, path, text),
      remove: () => removeFolder(place),
    }
  } catch (error) {
    await removeFolder(place)
    throw error
  }
}

/** The repository around the workspace: files may need their neighbours there. */
async function topOf(workspace: Workspace): Promise<string> {
  const repository = (await workspace.git(['rev-parse', '--show-toplevel']))?.replace(/\r?\n$/, '')
  if (repository === undefined || repository === '') return workspace.dir
  try {
    const top = realpathSync.native(repository)
    return isInside(workspace.dir, top) ? top : workspace.dir
  } catch {
    return workspace.dir
  }
}
