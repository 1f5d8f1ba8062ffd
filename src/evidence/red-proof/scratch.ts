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

/** Records, not content. */
const RECORDS = names('.git .hg .svn .jj .exitgate')
/** Fetched from elsewhere and only read: one link does for all of it. */
const FETCHED = names('vendor Pods .bundle .yarn .pnpm-store site-packages bower_components')
/** Made from the sources as they are with the changes: in the copy they would bring the changes back. */
const MADE = names(
  'dist build out target lib es esm cjs bin obj _build coverage htmlcov DerivedData .next .nuxt .svelte-kit .turbo .nx ' +
    '.cache .parcel-cache .gradle .idea .vs .terraform .dart_tool __pycache__ .pytest_cache .mypy_cache .ruff_cache ' +
    '.tox .nox .eggs .nyc_output tmp temp log logs',
)
const MADE_FILES = /\.(?:py[cod]|class|o|obj|tsbuildinfo)$/
/** What tools write into the folder of dependencies: each tree has its own. */
const CACHES = names('.cache .vite .vite-temp .vitest .tmp')

/** An ignored folder within these bounds is copied; a larger one is data, and stays away. */
const SMALL = { files: 2_000, bytes: 64 * 1024 * 1024 }
const LARGE = { files: 40_000, bytes: 512 * 1024 * 1024 }

/** Brings what is ignored, and yet needed, into the copy: dependencies by link, small things of the user as copies. */
async function shareIgnored(mirror: Mirror, below = ''): Promise<void> {
  const own = mirror.folders.filter((folder) => below === '' || folder === below || folder.startsWith(`${below}/`))
  for (const folder of own) {
    for (const entry of entriesOf(join(mirror.from, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (RECORDS.has(entry.name) || lstatSync(join(mirror.to, path), { throwIfNoEntry: false })) continue
      // A folder of packages may itself be a link to one that several trees share.
      if (entry.isDirectory() || entry.name === 'node_modules') await shareFolder(mirror, path, entry.name)
      else if (!MADE_FILES.test(path) && !isCompiled(mirror, path)) await mirror.copy([path])
    }
  }
}

async function shareFolder(mirror: Mirror, path: string, name: string): Promise<void> {
  const there = (...parts: string[]) => existsSync(join(mirror.from, path, ...parts))
  if (name === 'node_modules') return shareModules(mirror, path)
  if (there('pyvenv.cfg')) return linkOriginal(mirror, path)
  // PHP asks for the real place of its loader and would load the original's sources from there.
  if (there('composer', 'installed.json')) return copyWithin(mirror, path, LARGE)
  if (there('..', 'mix.exs') && name === 'deps') return linkOriginal(mirror, path)
  // Cargo tells our crates from the original's by their place, and finds the fetched ones built.
  if (there('..', 'Cargo.toml') && name === 'target') return copyWithin(mirror, path, LARGE)
  if (FETCHED.has(name) || path.includes('node_modules/')) return linkOriginal(mirror, path)
  if (!MADE.has(name)) await copyWithin(mirror, path, SMALL)
}

/** JavaScript that lies ignored beside its TypeScript was made from it. */
function isCompiled(mirror: Mirror, path: string): boolean {
  const stem = /^(.*?)(?:\.d)?\.[cm]?[jt]sx?(?:\.map)?$/.exec(path)?.[1]
  if (stem === undefined) return false
  return ['ts', 'tsx', 'mts', 'cts'].some((ending) => existsSync(join(mirror.to, `${stem}.${ending}`)))
}

const linkOriginal = (mirror: Mirror, path: string) => symlinkSync(join(mirror.from, path), join(mirror.to, path))

/**
 * A folder of its own with a link for each package, so that caches written there do not end up in the original, and
 * packages of the workspace itself are those of the copy.
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
    // It leads nowhere here, and may do so there.
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

/** Where the workspace is only a part of its repository: what lies beside the way down to it is shared by link. */
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

/**
 * Gives a file of a folder this content, or takes it away. Whatever stands in the way, a link above all, is removed
 * and never followed: the content ends up in the folder or nowhere.
 */
export function putFile(dir: string, path: string, text: string | undefined): void {
  const parts = posix.normalize(path).split('/')
  if (path === '' || posix.isAbsolute(path) || parts.includes('..') || path.includes('\0')) {
    throw new Error(`${path} is no path in the folder`)
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
  // A script that is called by its name has to stay one.
  if (text !== undefined) writeFileSync(file, text, { flag: 'wx', mode: was?.isFile() ? was.mode : 0o666 })
}
