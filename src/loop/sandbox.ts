import { basename, dirname, join, resolve } from 'node:path'
import { LAUNCHERS } from '../agents/launch/index.ts'
import type { AgentLogin } from '../agents/launch/launcher.ts'
import { ConfigError } from '../config/errors.ts'
import type { Config, SandboxConfig } from '../core/config.ts'
import type { Environment } from '../system/environment.ts'
import { chooseSandbox, SANDBOX_MODES, type SandboxMode } from '../system/sandbox/choose.ts'
import type { SandboxNeeds, SandboxSetup } from '../system/sandbox/enter.ts'
import { realHome } from '../system/sandbox/sandbox.ts'

interface SandboxPlace {
  readonly workspace: string
  readonly stateDir: string
  readonly env?: Environment
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
export function sandboxFor(config: Config, { workspace, stateDir, env = process.env }: SandboxPlace): RunSandbox {
  const { network, image, read, write, mode: configured } = config.sandbox ?? DEFAULTS
  const mode = modeIn(process.env) ?? configured
  const chosen = chooseSandbox({ mode, image, env })
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
  const home = realHome(env)
  const logins = loginsOf(argv[0] ?? '')
  const inHome = (pick: (login: AgentLogin) => readonly string[] | undefined) =>
    logins.flatMap((login) => (pick(login) ?? []).map((path) => join(home, path)))
  const elsewhere = logins.flatMap(({ variables = [] }) => variables.flatMap((name) => env[name] || []))
  return {
    home: join(stateDir, 'sandbox', 'home'),
    copies: logins.flatMap(({ files = [] }) => files),
    writable: [...inHome(({ folders }) => folders), ...elsewhere, inbox],
    readable: [...inHome(({ readOnly }) => readOnly), promptFile],
    network: setup.network !== 'none',
  }
}

/** Any other command may start one of the agents itself, so it gets the logins of all of them. */
function loginsOf(program: string): readonly AgentLogin[] {
  const own = LAUNCHERS.filter(({ programs }) => programs.includes(basename(program)))
  return (own.length > 0 ? own : LAUNCHERS).map(({ login }) => login)
}
