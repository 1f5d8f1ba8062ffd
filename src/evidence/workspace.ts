import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Environment } from '../system/environment.ts'
import { entriesOf, fsPath } from '../system/file-names.ts'
import { askGit, repositoryPath } from '../system/git.ts'
import { pathInside, readTextFile } from '../system/read-file.ts'
import type { SandboxNeeds, SandboxSetup } from '../system/sandbox/enter.ts'
import { ascending } from './baseline/file-table.ts'
import { type GitOutput, indexOf, rememberOutput, startStatus, untrackedIn } from './git-status.ts'
import { runReported } from './report-command.ts'
import { scrubbed } from './scrub-environment.ts'
import { readStat, rememberSnapshot, StatSnapshotBuilder } from './stat-snapshot.ts'
import type { CommandResult, OnCommand, RunOptions, Workspace } from './types.ts'

export interface WorkspaceOptions {
  /** The environment for commands, before it is scrubbed; our own by default. */
  readonly env?: Environment
  /** Variables that the user lets through although they look like secrets. */
  readonly allow?: readonly string[]
  /** The sandbox for its commands. */
  readonly sandbox?: SandboxSetup | undefined
  readonly onCommand?: OnCommand | undefined
}

/** The one handle through which every check sees the workspace. */
export function openWorkspace(
  dir: string,
  { env = process.env, allow = [], sandbox, onCommand }: WorkspaceOptions = {},
): Workspace {
  const real = realPath(dir)
  const git: Workspace['git'] = async (args) => {
    const { out, problem } = await askGit(real, args, env)
    return problem === undefined ? out : undefined
  }
  return {
    dir: real,
    ...(sandbox && { sandbox }),
    ...(onCommand && { onCommand }),
    read: (path) => readTextFile(real, path),
    list: () => listFiles(real, env),
    look: () => listFiles(real, env, startStatus({ dir: real, git })),
    git,
    run: (command, { cwd = '', env: added, ...options }: RunOptions): Promise<CommandResult> => {
      const folder = pathInside(real, cwd)
      if (folder === undefined) return Promise.resolve(noFolder(cwd))
      const settings = {
        ...options,
        env: { ...scrubbed(env, allow), ...homeFor(options, sandbox, env), ...added },
        ...(sandbox && { sandbox: { setup: sandbox, needs: needsOf(command, options, sandbox) } }),
      }
      return runReported(folder, command, settings, options, onCommand)
    },
  }
}

/** If the folder does not exist, every method returns nothing instead of throwing. */
function realPath(dir: string): string {
  const full = resolve(dir)
  try {
    return realpathSync.native(full)
  } catch {
    return full
  }
}

/** The answer when a command is to run in a folder that does not exist. */
export const noFolder = (cwd: string): CommandResult => ({
  code: null,
  ended: 'not-started',
  output: '',
  cut: 0,
  ms: 0,
  problem: `there is no folder ${cwd} in the workspace`,
})

/** A model's command line reads its login from the user's home. In a sandbox only the login is there. */
export function homeFor({ login }: RunOptions, sandbox: SandboxSetup | undefined, { HOME }: Environment) {
  return login === true && sandbox === undefined && HOME ? { HOME } : {}
}

/** What a command needs in the sandbox. */
export function needsOf(
  command: string | readonly string[],
  { writable = [], login }: RunOptions,
  { network, login: loginOf }: SandboxSetup,
): SandboxNeeds {
  if (login !== true || loginOf === undefined) return { writable, network: network === 'all' }
  const [program = ''] = typeof command === 'string' ? command.trim().split(/\s/) : command
  const own = loginOf(program)
  return { ...own, writable: [...writable, ...(own.writable ?? [])], network: network !== 'none' }
}

/** Several checks need the list; it is the same for all of them until a command begins or ends. */
export function withCachedList(workspace: Workspace): Workspace {
  let listing: Promise<readonly string[]> | undefined
  const forget = () => {
    listing = undefined
  }
  return {
    ...workspace,
    list() {
      listing ??= workspace.list()
      return listing
    },
    look() {
      listing ??= workspace.look?.() ?? workspace.list()
      return listing
    },
    async run(command, options) {
      forget()
      return workspace.run(command, options).finally(forget)
    },
  }
}

/** The list as it is now: a check that runs at the same time as the tests would otherwise list all files again after each of their commands. */
export function withOneList(workspace: Workspace): Workspace {
  const listed = workspace.list()
  return { ...workspace, list: () => listed, look: () => listed }
}

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

/** The parts of the last list: strings are made, sorted and joined again only if a name was added or removed. */
let last: { readonly output: string; readonly names: readonly string[]; readonly paths: readonly string[] } | undefined

/** Every file that is not ignored, relative to the folder, sorted; keeps their stats for later comparison. */
async function listFiles(dir: string, env: Environment, looked?: Looked): Promise<readonly string[]> {
  const listing = new Listing(dir, env)
  const output = await listing.addAll(looked)
  const snapshot = listing.snapshot.done()
  const before = last?.paths
  const isSame = before?.length === snapshot.paths.length && snapshot.paths.every((path, row) => path === before[row])
  const paths = isSame ? before : snapshot.paths
  last = { output: '', names: [], ...last, ...listing.names, paths }
  // Every look gets its own list object, because results are cached by list.
  const files = paths.slice()
  rememberSnapshot(files, { ...snapshot, paths })
  if (output !== undefined) rememberOutput(files, output)
  return files
}

type Looked = ReturnType<typeof startStatus>

class Listing {
  readonly snapshot = new StatSnapshotBuilder()
  /** Paths of the workspace itself, as git printed them and one by one. */
  names: { readonly output: string; readonly names: readonly string[] } | undefined
  readonly #dir: string
  readonly #env: Environment

  constructor(dir: string, env: Environment) {
    this.#dir = dir
    this.#env = env
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
    // Our look at the files of the index takes about as long as git's.
    const tracked = indexOf((await index) ?? '').paths
    await this.#addNames('', tracked, 0)
    const found = await output
    if (place === undefined || found.status === undefined || found.index === undefined) return undefined
    const untracked = untrackedIn(found.status, place.prefix).map(withoutSlash)
    await this.#addNames('', untracked, 0)
    return tracked.length + untracked.length === 0 ? undefined : found
  }

  /** False if git can't list the folder, or the surrounding repository ignores it. */
  async #fromGit(folder: string, depth: number): Promise<boolean> {
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
      const stat = readStat(full)
      if (stat !== undefined) this.snapshot.add(folder + name, stat)
      // If an entry of the index is not a file any more, it was deleted.
      else if (existsSync(fsPath(join(full, '.git')))) await this.#add(`${folder}${name}/`, depth + 1)
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
