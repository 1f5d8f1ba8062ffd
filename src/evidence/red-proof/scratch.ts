import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, posix, relative, sep } from 'node:path'
import { removeFolder } from '../../system/remove-folder.ts'
import { isInside } from '../baseline/inside.ts'
import type { Workspace } from '../types.ts'
import { thisOwner } from './owner.ts'
import { COPY_LIMITS, type CopyLimits, TreeCopy } from './tree-copy.ts'

const names = (list: string) => new Set(list.split(' '))

/** Folders of version control and exitgate. The copy doesn't need them. */
const REPOSITORY_FOLDERS = names('.git .hg .svn .jj .exitgate')
/** Downloaded and only read, so one link is enough. */
const DEPENDENCIES = names('vendor Pods .bundle .yarn .pnpm-store site-packages bower_components')
/** Build output of the changed sources. In the copy it would bring the changes back. */
const BUILD_OUTPUT = names(
  'dist build out target lib es esm cjs bin obj _build coverage htmlcov DerivedData .next .nuxt .svelte-kit .turbo .nx ' +
    '.cache .parcel-cache .gradle .idea .vs .terraform .dart_tool __pycache__ .pytest_cache .mypy_cache .ruff_cache ' +
    '.tox .nox .eggs .nyc_output tmp temp log logs',
)
const BUILD_FILES = /\.(?:py[cod]|class|o|obj|tsbuildinfo)$/
/** Caches that tools write into node_modules. Each tree has its own. */
const CACHES = names('.cache .vite .vite-temp .vitest .tmp')

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
      else if (!BUILD_FILES.test(path) && !isCompiled(copy, path)) await copy.addFiles([path])
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

/** Ignored JavaScript next to a TypeScript file was compiled from it. */
function isCompiled(copy: TreeCopy, path: string): boolean {
  const stem = /^(.*?)(?:\.d)?\.[cm]?[jt]sx?(?:\.map)?$/.exec(path)?.[1]
  if (stem === undefined) return false
  return ['ts', 'tsx', 'mts', 'cts'].some((ending) => existsSync(join(copy.to, `${stem}.${ending}`)))
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

export const SCRATCH_PREFIX = 'exitgate-scratch-'
export const OWNER_FILE = 'owner.json'

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
  const place = mkdtempSync(join(root, SCRATCH_PREFIX))
  try {
    writeFileSync(join(place, OWNER_FILE), JSON.stringify(thisOwner()), { flag: 'wx', mode: 0o600 })
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

/** Writes or removes a file in a folder. It replaces links and never follows them, so it never writes outside the folder. */
export function putFile(dir: string, path: string, text: string | undefined): void {
  const parts = posix.normalize(path).split('/')
  if (path === '' || posix.isAbsolute(path) || parts.includes('..') || path.includes('\0')) {
    throw new Error(`${path} is not a path inside the folder`)
  }
  let folder = dir
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part)
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat?.isDirectory()) continue
    if (text === undefined) return
    rmSync(folder, { force: true })
    mkdirSync(folder)
  }
  const file = join(folder, parts.at(-1)!)
  const was = lstatSync(file, { throwIfNoEntry: false })
  rmSync(file, { force: true, recursive: true })
  // An executable script must stay executable.
  if (text !== undefined) writeFileSync(file, text, { flag: 'wx', mode: was?.isFile() ? was.mode : 0o666 })
}
