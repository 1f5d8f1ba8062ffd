import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Environment } from '../../system/environment.ts'
import { entriesOf } from '../../system/file-names.ts'
import { repositoryRoot } from '../../system/git.ts'
import type { Workspace } from '../types.ts'
import { isInside } from './inside.ts'

export type DependencyKind = 'node' | 'python' | 'php' | 'ruby' | 'other'

/** A folder with installed dependencies, which tests load and reviews don't show. */
export interface DependencyFolder {
  /** Absolute. It may be a link. */
  readonly path: string
  /** What the path leads to; the same unless it is a link. */
  readonly real: string
  readonly kind: DependencyKind
  /** The file that decides what is installed in it, absolute; absent if there is none up to the repository root. */
  readonly lock?: string
}

/** Folders with these names. `vendor` counts only if its project's own files say what it is. */
const KINDS: Readonly<Record<string, DependencyKind>> = {
  node_modules: 'node',
  bower_components: 'other',
  Pods: 'other',
  '.pnpm-store': 'other',
}

/** Some projects keep these in the repository. Then they are files like any other. */
const UNLISTED = new Set(['.bundle', '.yarn', 'site-packages', '__pypackages__'])

/** The first that exists decides. */
const LOCKS: Readonly<Record<DependencyKind, readonly string[]>> = {
  node: [
    'package-lock.json',
    'npm-shrinkwrap.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'bun.lockb',
    'deno.lock',
  ],
  python: ['uv.lock', 'poetry.lock', 'Pipfile.lock', 'pdm.lock', 'requirements.txt', 'pyproject.toml', 'setup.py'],
  php: ['composer.lock', 'composer.json'],
  ruby: ['Gemfile.lock', 'Gemfile'],
  other: ['bower.json', 'Podfile.lock', 'pnpm-lock.yaml', 'go.sum', 'Cargo.lock'],
}

/**
 * The folders with installed dependencies that commands in the workspace use, in the order of their paths. They are inside it, or
 * above it up to the root of the repository. For Python also the active virtual environment, wherever it is, and the user's own
 * packages.
 */
export async function dependencyFolders(
  workspace: Workspace,
  env: Environment = process.env,
): Promise<readonly DependencyFolder[]> {
  const top = repositoryRoot(workspace.dir) ?? workspace.dir
  const found = new Map<string, DependencyFolder>()
  const add = (path: string, kind: DependencyKind) => {
    const real = realFolder(path)
    if (real === undefined || found.has(path)) return
    const lock = lockOf(path, kind, top)
    found.set(path, { path, real, kind, ...(lock !== undefined && { lock }) })
  }
  const files = await workspace.list()
  const folders = sourceFolders(workspace.dir, top, files)
  for (const folder of folders) {
    for (const { name } of entriesOf(folder)) {
      const path = join(folder, name)
      const kind = kindOf(path, folder, folders)
      if (kind !== undefined) add(path, kind)
    }
  }
  if (files.some((path) => path.endsWith('.py'))) {
    if (env.VIRTUAL_ENV) add(env.VIRTUAL_ENV, 'python')
    for (const path of userSites(env)) add(path, 'python')
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Every folder with a file that is not ignored, and every folder above the workspace up to the root of the repository. */
export function sourceFolders(dir: string, top: string, files: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>()
  const addUpTo = (end: string, start: string) => {
    for (let at = start; isInside(at, end) && !folders.has(at); at = dirname(at)) {
      folders.add(at)
      if (at === dirname(at)) break
    }
  }
  addUpTo(top, dir)
  let last = ''
  for (const path of files) {
    const slash = path.lastIndexOf('/')
    const folder = slash < 0 ? '' : path.slice(0, slash)
    if (folder === last) continue
    last = folder
    addUpTo(dir, join(dir, folder))
  }
  return folders
}

function kindOf(path: string, folder: string, listed: ReadonlySet<string>): DependencyKind | undefined {
  const name = basename(path)
  const known = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  if (known !== undefined) return known
  // Files that the repository lists are compared like any other.
  if (listed.has(path)) return undefined
  if (name === 'vendor') {
    if (existsSync(join(path, 'autoload.php')) || existsSync(join(folder, 'composer.json'))) return 'php'
    if (existsSync(join(path, 'bundle'))) return 'ruby'
    return 'other'
  }
  if (UNLISTED.has(name) || (name === 'deps' && existsSync(join(folder, 'mix.exs')))) return 'other'
  return existsSync(join(path, 'pyvenv.cfg')) ? 'python' : undefined
}

/** Python also loads packages that the user installed without an environment. */
function userSites(env: Environment): string[] {
  const lib = join(env.PYTHONUSERBASE || join(env.HOME || homedir(), '.local'), 'lib')
  return entriesOf(lib).flatMap(({ name }) => (/^python3/.test(name) ? [join(lib, name, 'site-packages')] : []))
}

function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync.native(path)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}

/** The nearest lock file next to the folder or above it, not above the repository. */
function lockOf(path: string, kind: DependencyKind, top: string): string | undefined {
  for (let folder = dirname(path); isInside(folder, top); folder = dirname(folder)) {
    const lock = LOCKS[kind].map((name) => join(folder, name)).find((file) => existsSync(file))
    if (lock !== undefined) return lock
    if (folder === dirname(folder)) break
  }
  return undefined
}
