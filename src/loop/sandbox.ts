import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { LAUNCHERS } from '../agents/launch/index.ts'
import type { AgentLogin } from '../agents/launch/launcher.ts'
import { ConfigError } from '../config/errors.ts'
import type { Config, SandboxConfig } from '../core/config.ts'
import type { Environment } from '../system/environment.ts'
import { makeFolder } from '../system/files.ts'
import { pathOutside } from '../system/git.ts'
import { chooseSandbox, SANDBOX_MODES, type SandboxMode } from '../system/sandbox/choose.ts'
import type { SandboxNeeds, SandboxSetup } from '../system/sandbox/enter.ts'
import { isInside, realHome } from '../system/sandbox/sandbox.ts'

interface SandboxPlace {
  readonly workspace: string
  readonly stateDir: string
  readonly env?: Environment
  /** Variables of exitgate itself; those of this process by default. */
  readonly variables?: Environment | undefined
}

/** The sandbox of a run, and the line that says so. */
export interface RunSandbox {
  readonly setup?: SandboxSetup
  /** "bubblewrap", or "off" with the reason; absent if it is turned off. */
  readonly shown?: string
}

/** Journals of older versions have no such section. */
const DEFAULTS: SandboxConfig = { mode: 'auto', network: 'all', read: [], write: [] }

/** The sandbox the configuration asks for. Throws a ConfigError if it must have one and none works here. */
export function sandboxFor(config: Config, place: SandboxPlace): RunSandbox {
  const { workspace, stateDir, env = process.env, variables = process.env } = place
  const { network, image, read, write, mode: configured } = config.sandbox ?? DEFAULTS
  const mode = modeIn(variables) ?? configured
  const chosen = chooseSandbox({ mode, image, env: { ...env, PATH: pathOutside(workspace, env.PATH ?? '') } })
  if (chosen.sandbox === undefined) {
    if (mode !== 'auto' && mode !== 'off')
      throw new ConfigError(`--sandbox ${mode}: ${chosen.why}. With --sandbox off the agent runs without one.`)
    return mode === 'off' ? {} : { shown: `off (${chosen.why})` }
  }
  const home = realHome(env)
  const paths = (list: readonly string[]) => list.map((path) => resolve(home, path.replace(/^~(?=\/|$)/, home)))
  const setup = {
    sandbox: chosen.sandbox,
    workspace,
    hidden: [dirname(stateDir)],
    read: paths(read),
    write: paths(write),
    network,
    login: (program: string) => loginNeeds(program, env),
  }
  return { setup, shown: chosen.sandbox.name }
}

/** One shell can choose another mode than the configuration. */
function modeIn({ EXITGATE_SANDBOX: mode }: Environment): SandboxMode | undefined {
  if (!mode) return undefined
  const known = SANDBOX_MODES.find((each) => each === mode)
  if (known === undefined)
    throw new ConfigError(`EXITGATE_SANDBOX is "${mode}"; it must be one of ${SANDBOX_MODES.join(', ')}`)
  return known
}

interface AgentPlace {
  readonly argv: readonly string[]
  readonly env: Environment
  readonly stateDir: string
  /** Files of this start: the inbox for signals can be written, the prompt only read. */
  readonly inbox: string
  readonly promptFile: string
}

/** What the agent needs in its sandbox: its login, the inbox and the prompt, and a home that lasts for the run. */
export function agentNeeds(setup: SandboxSetup, { argv, env, stateDir, inbox, promptFile }: AgentPlace): SandboxNeeds {
  const { copies, writable, readable } = loginNeeds(argv[0] ?? '', env)
  return {
    home: join(stateDir, 'sandbox', 'home'),
    copies,
    named: true,
    writable: [...writable, inbox],
    readable: [...readable, promptFile],
    network: setup.network !== 'none',
  }
}

/** The login folders of an agent can be written, the settings in them only read. */
function loginNeeds(program: string, env: Environment) {
  const logins = loginsOf(program)
  const places = logins.map((login) => placesOf(login, realHome(env), env))
  const readable = places.flatMap(({ folders, readOnly }) =>
    readOnly.filter((path) => folders.some((folder) => isInside(folder, path) && existsSync(folder))),
  )
  for (const path of readable) makeEmpty(path)
  return {
    copies: logins.flatMap(({ files = [] }) => files),
    writable: places.flatMap(({ folders }) => folders),
    readable,
  }
}

/** The folders of a login and the settings in them, in the home and where the user's variables point: to the last of the folders. */
function placesOf({ folders, readOnly = [], variables = [] }: AgentLogin, home: string, env: Environment) {
  const own = `${folders.at(-1)}/`
  const elsewhere = variables.flatMap((name) => env[name] || [])
  const moved = readOnly.flatMap((path) => (path.startsWith(own) ? path.slice(own.length) : []))
  return {
    folders: [...folders.map((path) => join(home, path)), ...elsewhere],
    readOnly: [
      ...readOnly.map((path) => join(home, path)),
      ...elsewhere.flatMap((folder) => moved.map((path) => join(folder, path))),
    ],
  }
}

/** What does not exist cannot be read-only. So that the agent cannot create settings for later sessions, they are made, empty. */
function makeEmpty(path: string): void {
  try {
    makeFolder(dirname(path))
    if (extname(path) === '') makeFolder(path)
    else writeFileSync(path, /\.jsonc?$/.test(path) ? '{}\n' : '', { flag: 'wx', mode: 0o600 })
  } catch {
    // It exists, or the home is read-only: then the agent cannot create it either.
  }
}

/** Any other command may start one of the agents itself, so it gets the logins of all of them. */
function loginsOf(program: string): readonly AgentLogin[] {
  const own = LAUNCHERS.filter(({ programs }) => programs.includes(basename(program)))
  return (own.length > 0 ? own : LAUNCHERS).map(({ login }) => login)
}
