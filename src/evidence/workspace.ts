import { resolve } from 'node:path'
import type { Environment } from '../system/environment.ts'
import { askGit } from '../system/git.ts'
import { pathInside, readTextFile } from '../system/read-file.ts'
import type { SandboxNeeds, SandboxSetup } from '../system/sandbox/enter.ts'
import { realPath } from '../system/sandbox/sandbox.ts'
import { startStatus } from './git-status.ts'
import { listFiles } from './list-files.ts'
import { runReported } from './report-command.ts'
import { scrubbed } from './scrub-environment.ts'
import type { CommandResult, OnCommand, RunOptions, Workspace } from './types.ts'

export interface WorkspaceOptions {
  /** The environment for commands, before it is scrubbed; our own by default. */
  readonly env?: Environment
  /** Variables that the user lets through although they look like secrets. */
  readonly allow?: readonly string[]
  /** The sandbox for its commands. */
  readonly sandbox?: SandboxSetup | undefined
  readonly onCommand?: OnCommand | undefined
  /** See `Workspace`. */
  readonly reuseIndex?: boolean
}

/** The one handle through which every check sees the workspace. */
export function openWorkspace(
  dir: string,
  { env = process.env, allow = [], sandbox, onCommand, reuseIndex = false }: WorkspaceOptions = {},
): Workspace {
  // If the folder does not exist, every method returns nothing instead of throwing.
  const real = realPath(resolve(dir))
  const git: Workspace['git'] = async (args) => {
    const { out, problem } = await askGit(real, args, env)
    return problem === undefined ? out : undefined
  }
  return {
    dir: real,
    ...(sandbox && { sandbox }),
    ...(onCommand && { onCommand }),
    ...(reuseIndex && { reuseIndex }),
    read: (path) => readTextFile(real, path),
    env: () => scrubbed(env, allow),
    list: () => listFiles(real, env, { reuseIndex }),
    look: () => listFiles(real, env, { looked: startStatus({ dir: real, git, reuseIndex }) }),
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
