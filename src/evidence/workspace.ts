import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Environment } from '../system/environment.ts'
import { askGit } from '../system/git.ts'
import { insideOf, readTextFile } from '../system/read-file.ts'
import { runCommand } from '../system/run-command.ts'
import { scrubbed } from './scrub-environment.ts'
import type { CommandResult, RunOptions, Workspace } from './types.ts'

export interface WorkspaceOptions {
  /** The environment that commands get after it was scrubbed; our own when absent. */
  readonly env?: Environment
  /** Variables that the user lets through although they look like secrets. */
  readonly allow?: readonly string[]
}

/** The one handle through which every check sees the workspace. */
export function openWorkspace(dir: string, { env = process.env, allow = [] }: WorkspaceOptions = {}): Workspace {
  const real = realPath(dir)
  return {
    dir: real,
    read: (path) => readTextFile(real, path),
    list: () => listFiles(real, env),
    git: async (args) => {
      const { out, problem } = await askGit(real, args, env)
      return problem === undefined ? out : undefined
    },
    run: (command, { cwd = '', env: added = {}, ...options }: RunOptions): Promise<CommandResult> => {
      const folder = insideOf(real, cwd)
      if (folder === undefined) return Promise.resolve(notStarted(`there is no folder ${cwd} in the workspace`))
      return runCommand(folder, command, { ...options, env: { ...scrubbed(env, allow), ...added } })
    },
  }
}

/** A folder that is not there answers every question with nothing instead of throwing. */
function realPath(dir: string): string {
  const full = resolve(dir)
  try {
    return realpathSync.native(full)
  } catch {
    return full
  }
}

const notStarted = (problem: string): CommandResult => ({
  code: null,
  ended: 'not-started',
  output: '',
  cut: 0,
  ms: 0,
  problem,
})

/** Several checks ask for the list; it is the same for all of them until a command begins or ends. */
export function withOneList(workspace: Workspace): Workspace {
  let listing: Promise<readonly string[]> | undefined
  const forget = () => {
    listing = undefined
  }
  return {
    dir: workspace.dir,
    read: (path) => workspace.read(path),
    git: (args) => workspace.git(args),
    list() {
      listing ??= workspace.list()
      return listing
    },
    async run(command, options) {
      forget()
      return workspace.run(command, options).finally(forget)
    },
  }
}

/** Fetched, generated or somebody else's: without git's own list nobody says which, so the usual names must do. */
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

/** Every file that is not ignored, relative to the folder, sorted. */
async function listFiles(dir: string, env: Environment = process.env): Promise<readonly string[]> {
  return (await fromGit(dir, env, 0)) ?? walk(dir)
}

/** Undefined when git cannot tell, or tells nothing because the repository around the folder ignores it. */
async function fromGit(dir: string, env: Environment, depth: number): Promise<string[] | undefined> {
  const listed = await askGit(dir, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], env)
  if (listed.problem !== undefined || listed.out === '') return undefined
  const files: string[] = []
  for (const entry of new Set(listed.out.split('\0'))) {
    const path = entry.endsWith('/') ? entry.slice(0, -1) : entry
    const stat = path === '' ? undefined : lstatSync(join(dir, path), { throwIfNoEntry: false })
    // A file that is only in the index was deleted.
    if (stat === undefined) continue
    if (!stat.isDirectory()) files.push(path)
    else if (existsSync(join(dir, path, '.git'))) files.push(...(await inside(dir, path, env, depth + 1)))
  }
  return files.sort()
}

/** A submodule, or a repository that lies in this one, seen from here. */
async function inside(dir: string, path: string, env: Environment, depth: number): Promise<string[]> {
  const there = join(dir, path)
  const files = (depth > DEEPEST ? undefined : await fromGit(there, env, depth)) ?? walk(there)
  return files.map((file) => `${path}/${file}`)
}

function walk(dir: string): string[] {
  const files: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined && files.length < MOST_FILES; folder = folders.pop()) {
    for (const entry of entriesOf(join(dir, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) folders.push(path)
      } else if (entry.name !== '.git') files.push(path)
    }
  }
  return files.sort()
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // A folder that may not be read holds nothing that could be read either.
    return []
  }
}
