import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram } from '../find-program.ts'
import { removeFolderSync } from '../remove-folder.ts'
import { whenAllEnd } from '../running-commands.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import {
  COPIED_SETTINGS,
  isInOneOf,
  isInside,
  realHome,
  realPath,
  type Sandbox,
  type SandboxMount,
  temporaryFolders,
  toolchainsIn,
} from './sandbox.ts'

/** How the commands of one run are shut in. */
export interface SandboxSetup {
  readonly sandbox: Sandbox
  /** The user's project. */
  readonly workspace: string
  /** Folders of exitgate itself that no command may see. */
  readonly hidden: readonly string[]
  /** Further paths that the user lets every command read or change. */
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Who may use the network. */
  readonly network: 'all' | 'agent' | 'none'
  /** A private copy that commands get instead of the project. */
  readonly copy?: ProjectCopy
  /** What a command that asks a model needs of the user's home, by its program. */
  readonly login?: (program: string) => Pick<SandboxNeeds, 'readable' | 'writable' | 'copies'>
}

export interface ProjectCopy {
  /** The project, which commands must not see. */
  readonly top: string
  readonly folder: string
  /** The path of the copy for commands: `top` if the sandbox can mount. */
  readonly seenAs: string
  /** Folders that the copy gets from elsewhere, only to read. */
  readonly mounts: readonly { readonly from: string; readonly to: string }[]
  /** Folders of the project that commands may read under their own path. */
  readonly readable: readonly string[]
}

/** What one command needs in addition. */
export interface SandboxNeeds {
  /** They stay read-only also in a folder that the command may change. */
  readonly readable?: readonly string[]
  readonly writable?: readonly string[]
  /** The command line is the user's own: what it names can be read, also in a hidden place. */
  readonly named?: boolean
  /** A home that is kept for the next command; without it, an empty one that is removed at the end. */
  readonly home?: string
  /** Files of the user's home, by their path in it, that the command gets a copy of. */
  readonly copies?: readonly string[]
  readonly network: boolean
}

export interface Entered {
  readonly argv: readonly string[]
  /** Removes what was made for the command. Call it when the command has ended. */
  leave(): void
}

/** Where the program's own files are: a command may call `exitgate signal` or start `exitgate mcp`. */
const OWN_FILES = packageFolder(dirname(fileURLToPath(import.meta.url)))
const NODE_FILES = dirname(dirname(process.execPath))

/** The command line that runs a command in the sandbox. Throws an ENOENT error when there is no such program. */
export function enterSandbox(
  { sandbox, workspace, hidden: hiddenAlways, read, write, copy }: SandboxSetup,
  needs: SandboxNeeds,
  command: { readonly argv: readonly string[]; readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Entered {
  const { argv, cwd, env } = command
  const [name = '', ...args] = argv
  const program = sandbox.end === undefined ? findProgram(name, cwd, env) : name
  if (program === undefined) throw Object.assign(new Error(`spawn ${name} ENOENT`), { code: 'ENOENT', path: name })
  const made = makeTemporaryFolder('sandbox')
  const tmp = join(made, 'tmp')
  const home = needs.home ?? join(made, 'home')
  for (const folder of [tmp, home]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const userHome = realHome(env)
  for (const path of [...COPIED_SETTINGS, ...(needs.copies ?? [])]) copyInto(home, userHome, path)
  const project = projectFolders(workspace, userHome)
  const hidden = copy === undefined ? hiddenAlways : [...hiddenAlways, ...project]
  const own = copy === undefined ? project : copy.seenAs === copy.top ? [] : [copy.folder]
  const writable = [...own, ...write, ...(needs.writable ?? [])]
  const userPlaces = [userHome, ...temporaryFolders(env), ...hidden].map(realPath)
  const isTooWide = (path: string) => path === '/' || userPlaces.some((place) => isInside(path, place))
  const isShown = (path: string) => isAbsolute(path) && (copy === undefined || !isInside(copy.top, path))
  const programs = [OWN_FILES, NODE_FILES, folderOf(realPath(program)), program]
  const places = [...toolchainsIn(userHome, env), ...programs].filter(isShown)
  // What is shown so that it can be found makes nothing read-only in a folder that the command may change.
  const named = needs.named === true ? namedIn(argv, cwd, userHome).filter((path) => !isInOneOf(hidden, path)) : []
  const found = [...places, ...named].filter((path) => !isTooWide(path) && !isInOneOf(writable, path))
  const protects = [OWN_FILES, process.execPath].filter((path) => isShown(path) && !isInside(path, workspace))
  const given = [...protects, ...read, ...(needs.readable ?? []), ...(copy?.readable ?? [])]
  const readable = [...found, ...given].filter((path) => path !== '/' && !isInside(path, userHome))
  const rules = { cwd, writable, readable, hidden, home, tmp, mounts: mountsOf(copy), network: needs.network }
  // The program's own path stays: many programs look at the name by which they were called.
  const line = sandbox.wrap([program, ...args], rules, env)
  const end = (): void => sandbox.end?.(line)
  // A container doesn't end with the client that started it.
  const forget = whenAllEnd(end)
  return {
    argv: line,
    leave() {
      forget()
      end()
      removeFolderSync(made)
    },
  }
}

/**
 * The files and folders that the user's command line names, and what is next to a script that an interpreter gets. A script that a shell
 * gets with -c is read word by word.
 */
function namedIn(argv: readonly string[], cwd: string, home: string): readonly string[] {
  const isText = (at: number) =>
    /^-[a-z]*c$/.test(argv[at - 1] ?? '') && argv.slice(0, at).some((one) => SHELL.test(one))
  const words = argv.flatMap((arg, at) => {
    if (isText(at)) return arg.split(/[\s;&|()<>"'`=]+/)
    return [arg, ...arg.split('=').slice(1), ...(at === 1 && INTERPRETER.test(argv[0] ?? '') ? [dirname(arg)] : [])]
  })
  return words
    .filter((word) => word === '..' || word.includes('/'))
    .map((word) => resolve(cwd, word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, home)))
    .filter((path) => existsSync(path) && !OWN_IN_SANDBOX.test(path))
}

/** The sandbox has its own processes and devices, such as /dev/stdin. */
const OWN_IN_SANDBOX = /^\/(?:proc|dev(?!\/shm\/.))(?:\/|$)/
const SHELL = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/
const INTERPRETER = /^(?:.*\/)?(?:(?:ba|da|z|k|a)?sh|node|bun|tsx|python[\d.]*|ruby|perl|php)$/

function mountsOf(copy: ProjectCopy | undefined): readonly SandboxMount[] {
  if (copy === undefined || copy.seenAs !== copy.top) return []
  const shared = copy.mounts.map((mount) => ({ ...mount, writable: false }))
  return [{ from: copy.folder, to: copy.top, writable: true }, ...shared]
}

/** What a program needs next to it: of an npm package, everything that was installed with it. */
function folderOf(program: string): string {
  const modules = program.indexOf('/node_modules/')
  return modules < 0 ? dirname(program) : program.slice(0, modules + '/node_modules'.length)
}

/** The whole repository where the workspace is part of one, and the folder that holds its objects, which may be elsewhere. */
export function projectFolders(workspace: string, home: string): readonly string[] {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const git = join(folder, '.git')
    const isTooWide = isInside(folder, home)
    if (!isTooWide && existsSync(git)) return [folder, ...objectsOf(git)]
    if (isTooWide || dirname(folder) === folder) return [workspace]
  }
}

/**
 * In a worktree or a submodule `.git` is a file that names a folder. The agent can write that file. So it counts only if git made the
 * folder for this place: a worktree's folder names it, and a submodule's is in the repository around it.
 */
function objectsOf(git: string): readonly string[] {
  try {
    if (statSync(git).isDirectory()) return []
    const own = realPath(resolve(dirname(git), /^gitdir: (.*)$/m.exec(readFileSync(git, 'utf8'))?.[1] ?? '.'))
    if (basename(dirname(own)) === 'worktrees') {
      const common = dirname(dirname(own))
      const back = readFileSync(join(own, 'gitdir'), 'utf8').trim()
      return realPath(resolve(own, back)) === realPath(git) && isRepository(common) ? [own, common] : []
    }
    return isModuleAround(dirname(git), own) || isSeparate(own) ? [own] : []
  } catch {
    return []
  }
}

const isRepository = (folder: string): boolean =>
  ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))

function isModuleAround(folder: string, own: string): boolean {
  for (let above = dirname(folder); ; above = dirname(above)) {
    if (isInside(join(realPath(join(above, '.git')), 'modules'), own)) return isRepository(own)
    if (dirname(above) === above) return false
  }
}

/** As made by `git init --separate-git-dir`. A folder named `.git` has its own project next to it. */
const isSeparate = (own: string): boolean => basename(own) !== '.git' && isRepository(own)

function copyInto(home: string, userHome: string, path: string): void {
  const [from, to] = [join(userHome, path), join(home, path)]
  try {
    if (existsSync(to) || !statSync(from).isFile()) return
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    copyFileSync(from, to)
  } catch {
    // It is missing or cannot be read: then the command does without it, as outside the sandbox.
  }
}

function packageFolder(start: string): string {
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder
  return start
}
