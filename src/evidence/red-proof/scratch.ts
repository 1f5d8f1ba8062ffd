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
import { COPY_LIMITS, type CopyLimits, Mirror } from './mirror.ts'
import { thisOwner } from './owner.ts'

const names = (list: string) => new Set(list.split(' '))

/** Folders of version control and exitgate. The copy doesn't need them. */
const RECORDS = names('.git .hg .svn .jj .exitgate')
/** Downloaded and only read, so one link is enough. */
const FETCHED = names('vendor Pods .bundle .yarn .pnpm-store site-packages bower_components')
/** Build output of the changed sources. In the copy it would bring the changes back. */
const MADE = names(
  'dist build out target lib es esm cjs bin obj _build coverage htmlcov DerivedData .next .nuxt .svelte-kit .turbo .nx ' +
    '.cache .parcel-cache .gradle .idea .vs .terraform .dart_tool __pycache__ .pytest_cache .mypy_cache .ruff_cache ' +
    '.tox .nox .eggs .nyc_output tmp temp log logs',
)
const MADE_FILES = /\.(?:py[cod]|class|o|obj|tsbuildinfo)$/
/** Caches that tools write into node_modules. Each tree has its own. */
const CACHES = names('.cache .vite .vite-temp .vitest .tmp')

/** An ignored folder within these limits is copied. A larger one is data and is left out. */
const SMALL = { files: 2_000, bytes: 64 * 1024 * 1024 }
const LARGE = { files: 40_000, bytes: 512 * 1024 * 1024 }

/** Adds ignored files that tests need: dependencies as links, small files as copies. */
async function shareIgnored(mirror: Mirror, below = ''): Promise<void> {
  const own = mirror.folders.filter((folder) => below === '' || folder === below || folder.startsWith(`${below}/`))
  for (const folder of own) {
    for (const entry of entriesOf(join(mirror.from, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (RECORDS.has(entry.name) || lstatSync(join(mirror.to, path), { throwIfNoEntry: false })) continue
      // node_modules may itself be a link that several trees share.
      if (entry.isDirectory() || entry.name === 'node_modules') await shareFolder(mirror, path, entry.name)
      else if (!MADE_FILES.test(path) && !isCompiled(mirror, path)) await mirror.copy([path])
    }
  }
}

async function shareFolder(mirror: Mirror, path: string, name: string): Promise<void> {
  const there = (...parts: string[]) => existsSync(join(mirror.from, path, ...parts))
  if (name === 'node_modules') return shareModules(mirror, path)
  if (there('pyvenv.cfg')) return linkOriginal(mirror, path)
  // PHP resolves the real path of its loader, and would load the original sources from there.
  if (there('composer', 'installed.json')) return copyWithin(mirror, path, LARGE)
  if (there('..', 'mix.exs') && name === 'deps') return linkOriginal(mirror, path)
  // Cargo identifies the project's crates by path, and can reuse compiled dependencies.
  if (there('..', 'Cargo.toml') && name === 'target') return copyWithin(mirror, path, LARGE)
  if (FETCHED.has(name) || path.includes('node_modules/')) return linkOriginal(mirror, path)
  if (!MADE.has(name)) await copyWithin(mirror, path, SMALL)
}

/** Ignored JavaScript next to a TypeScript file was compiled from it. */
function isCompiled(mirror: Mirror, path: string): boolean {
  const stem = /^(.*?)(?:\.d)?\.[cm]?[jt]sx?(?:\.map)?$/.exec(path)?.[1]
  if (stem === undefined) return false
  return ['ts', 'tsx', 'mts', 'cts'].some((ending) => existsSync(join(mirror.to, `${stem}.${ending}`)))
}

const linkOriginal = (mirror: Mirror, path: string) => symlinkSync(join(mirror.from, path), join(mirror.to, path))

/**
 * A new folder with one link per package. So caches are not written into the original, and packages of the workspace point to the
 * copy.
 */
function shareModules(mirror: Mirror, path: string): void {
  mkdirSync(join(mirror.to, path))
  for (const { name } of entriesOf(join(mirror.from, path))) {
    const inner = `${path}/${name}`
    if (CACHES.has(name)) continue
    const grouped = name === '.bin' || name.startsWith('@')
    if (grouped && lstatSync(join(mirror.from, inner)).isDirectory()) {
      mkdirSync(join(mirror.to, inner))
      for (const entry of entriesOf(join(mirror.from, inner))) shareModule(mirror, `${inner}/${entry.name}`)
    } else shareModule(mirror, inner)
  }
}

function shareModule(mirror: Mirror, path: string): void {
  const original = join(mirror.from, path)
  let real = original
  try {
    real = realpathSync.native(original)
  } catch {
    // A broken link stays broken in the copy.
  }
  const own = isInside(real, mirror.from) && !/(?:^|\/)node_modules(?:\/|$)/.test(relative(mirror.from, real))
  symlinkSync(own ? mirror.placeOf(real) : original, join(mirror.to, path))
}

async function copyWithin(mirror: Mirror, path: string, most: typeof SMALL): Promise<void> {
  const files: string[] = []
  let bytes = 0
  const folders = [path]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(mirror.from, folder))) {
      const inner = `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!RECORDS.has(entry.name)) folders.push(inner)
        continue
      }
      files.push(inner)
      bytes += lstatSync(join(mirror.from, inner), { throwIfNoEntry: false })?.size ?? 0
      if (files.length > most.files || bytes > most.bytes) return mirror.leave(`${path}/`)
    }
  }
  await mirror.copy(files)
}

/** If the workspace is a folder of a larger repository, its neighbours are linked. */
function shareNeighbours(mirror: Mirror, path: string): void {
  const way = path.split('/')
  for (const [depth, next] of way.entries()) {
    const folder = way.slice(0, depth).join('/')
    for (const { name } of entriesOf(join(mirror.from, folder))) {
      const inner = folder === '' ? name : `${folder}/${name}`
      if (name === next || RECORDS.has(name) || MADE.has(name)) continue
      if (name === 'node_modules') shareModules(mirror, inner)
      else linkOriginal(mirror, inner)
    }
    mirror.folder(way.slice(0, depth + 1).join('/'))
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
  readonly left: readonly string[]
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
  const way = relative(from, workspace.dir).split(sep).join('/')
  const listed = await workspace.list()
  const place = mkdtempSync(join(root, SCRATCH_PREFIX))
  try {
    writeFileSync(join(place, OWNER_FILE), JSON.stringify(thisOwner()), { flag: 'wx', mode: 0o600 })
    mkdirSync(join(place, 'tree'))
    // Some tools use the folder's name, so the copy has the same one.
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

/** The repository around the workspace: files may need their neighbours there. */
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
