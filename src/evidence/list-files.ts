import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Environment } from '../system/environment.ts'
import { entriesOf, fsPath } from '../system/file-names.ts'
import { askGit, repositoryPath } from '../system/git.ts'
import { ascending } from './baseline/file-table.ts'
import { indexOf, knownIndex } from './git-index.ts'
import { type GitOutput, rememberOutput, type startStatus, unknownIn } from './git-status.ts'
import { type Order, readStat, rememberSnapshot, StatSnapshotBuilder } from './stat-snapshot.ts'

/** Downloaded, generated or third-party. Without git's own list, the usual names have to do. */
const SKIPPED = new Set(
  (
    'node_modules bower_components vendor .git .hg .svn .exitgate target dist build coverage Pods _build DerivedData ' +
    '.venv venv env __pycache__ .tox .nox .mypy_cache .pytest_cache .ruff_cache .eggs site-packages ' +
    '.gradle .idea .vs .next .nuxt .svelte-kit .turbo .nx .parcel-cache .cache .terraform .dart_tool .yarn .pnpm-store'
  ).split(' '),
)
const MOST_FILES = 200_000
/** Repositories inside repositories; deeper ones are listed by walking. */
const DEEPEST = 8

/** The last list: strings are made, sorted and joined again only if a name was added or removed. */
let last: { readonly output: string; readonly names: readonly string[] } | undefined
let lastOrder: Order | undefined

/** Every file that is not ignored, relative to the folder, sorted; keeps their stats for later comparison. */
export async function listFiles(
  dir: string,
  env: Environment,
  { looked, reuseIndex = false }: { readonly looked?: Looked; readonly reuseIndex?: boolean },
): Promise<readonly string[]> {
  const listing = new Listing(dir, env, reuseIndex)
  const output = await listing.addAll(looked)
  const { order, ...snapshot } = listing.snapshot.done(lastOrder)
  lastOrder = order
  last = listing.names ?? last
  // Every look gets its own list object, because results are cached by list.
  const files = snapshot.paths.slice()
  rememberSnapshot(files, snapshot)
  if (output !== undefined) rememberOutput(files, output)
  return files
}

type Looked = ReturnType<typeof startStatus>

class Listing {
  snapshot = new StatSnapshotBuilder()
  /** Paths of the workspace itself, as git printed them and one by one. */
  names: { readonly output: string; readonly names: readonly string[] } | undefined
  readonly #dir: string
  readonly #env: Environment
  readonly #reuseIndex: boolean

  constructor(dir: string, env: Environment, reuseIndex: boolean) {
    this.#dir = dir
    this.#env = env
    this.#reuseIndex = reuseIndex
  }

  /** Returns git's output if the list was made from it. */
  async addAll(looked: Looked | undefined): Promise<GitOutput | undefined> {
    const output = looked && (await this.#fromStatus(looked))
    if (output === undefined) await this.#add('', 0)
    return output
  }

  /** A folder (empty, or ending in a slash): the workspace, a submodule, or a repository inside this one. */
  async #add(folder: string, depth: number): Promise<void> {
    if (depth > DEEPEST || !(await this.#fromGit(folder, depth))) this.#walk(folder)
  }

  async #fromStatus({ index, output }: Looked): Promise<GitOutput | undefined> {
    const place = repositoryPath(this.#dir)
    // Our look at the files of the index takes about as long as git's, which must have started.
    const [listed] = await Promise.all([index, setImmediate()])
    const tracked = indexOf(listed ?? '').paths
    await this.#addNames('', tracked, 0)
    const found = await output
    if (place === undefined || found.status === undefined || found.index === undefined) return undefined
    const untracked = unknownIn(found.status, place.prefix, '?').map(withoutSlash)
    await this.#addNames('', untracked, 0)
    return tracked.length + untracked.length === 0 ? undefined : found
  }

  /** False if the index may have changed since it was listed. */
  async #fromKnownIndex(): Promise<boolean> {
    const index = knownIndex(this.#dir)
    if (index === undefined) return false
    const pending = askGit(this.#dir, ['ls-files', '-z', '--others', '--exclude-standard'], this.#env)
    await setImmediate()
    const { paths } = indexOf(index)
    await this.#addNames('', paths, 0)
    const { out, problem } = await pending
    if (problem !== undefined || paths.length === 0 || knownIndex(this.#dir) !== index) {
      this.snapshot = new StatSnapshotBuilder()
      return false
    }
    if (out !== '') await this.#addNames('', namesIn(out), 0)
    return true
  }

  /** False if git can't list the folder, or the surrounding repository ignores it. */
  async #fromGit(folder: string, depth: number): Promise<boolean> {
    if (folder === '' && this.#reuseIndex && (await this.#fromKnownIndex())) return true
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const { out, problem } = await askGit(join(this.#dir, folder), args, this.#env)
    if (problem !== undefined || out === '') return false
    const names = last?.output === out ? last.names : namesIn(out)
    if (folder === '') this.names = { output: out, names }
    await this.#addNames(folder, names, depth)
    return true
  }

  async #addNames(folder: string, names: readonly string[], depth: number): Promise<void> {
    const start = `${this.#dir}/${folder}`
    for (const name of names) {
      const full = start + name
      if (this.snapshot.addFile(folder + name, full)) continue
      // If an entry of the index is not a file any more, it was deleted.
      if (existsSync(fsPath(join(full, '.git')))) await this.#add(`${folder}${name}/`, depth + 1)
    }
  }

  #walk(start: string): void {
    const folders = [start]
    let left = MOST_FILES
    for (let folder = folders.pop(); folder !== undefined && left > 0; folder = folders.pop()) {
      for (const { name, isDirectory } of entriesOf(join(this.#dir, folder))) {
        const path = folder + name
        if (isDirectory) {
          if (!SKIPPED.has(name)) folders.push(`${path}/`)
        } else if (name !== '.git') {
          this.snapshot.add(path, readStat(`${this.#dir}/${path}`))
          left -= 1
        }
      }
    }
  }
}

const withoutSlash = (name: string) => (name.endsWith('/') ? name.slice(0, -1) : name)

/** Sorted, each once: a conflict is listed for each side, and untracked files before all others. */
function namesIn(out: string): readonly string[] {
  const names = out.slice(0, -1).split('\0').map(withoutSlash)
  return ascending(names)?.map((row) => names[row]!) ?? names
}
