import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LAUNCHERS } from '../../agents/launch/index.ts'
import type { Launcher } from '../../agents/launch/launcher.ts'
import type { Config } from '../../core/config.ts'
import type { PreflightFact } from '../../core/run.ts'
import type { Environment } from '../../system/environment.ts'
import { findProgram } from '../../system/find-program.ts'
import { realHome } from '../../system/sandbox/sandbox.ts'

export interface AgentPlace {
  readonly workspace: string
  readonly env: Environment
  readonly platform: string
  /** Names of agents that the project defines. */
  readonly own: readonly string[]
}

/** The launcher of the agent, also if its program is given as a command. */
export function launcherOf({ agent, command }: Config['run']): Launcher | undefined {
  if (agent !== undefined) return LAUNCHERS.find(({ name }) => name === agent)
  return LAUNCHERS.find(({ programs }) => programs.includes(basename(command[0] ?? '')))
}

/** The agent: is it installed, and is a login to be seen? Undefined if none is chosen. */
export function agentFact({ run }: Config, place: AgentPlace): PreflightFact | undefined {
  const { workspace, env, platform, own } = place
  const launcher = launcherOf(run)
  const words = run.agent === 'acp' ? run.agentArgs : run.command
  const program = run.agent === undefined || run.agent === 'acp' ? words[0] : (launcher?.programs[0] ?? run.agent)
  if (program === undefined) return undefined
  const name = 'agent'
  // The project's own code decides which program it starts.
  if (run.agent !== undefined && own.includes(run.agent)) return { name, state: 'good', text: run.agent }
  const path = findProgram(program, workspace, env, platform)
  if (path === undefined)
    return {
      ...{ name, state: 'bad', text: `"${program}" was not found` },
      ...{ remedy: 'Install it, or put its path after --.', blocks: true },
    }
  const text = run.agent === undefined || run.agent === 'acp' ? words.join(' ') : `${program}${versionOf(path)}`
  const login = launcher === undefined ? undefined : loginOf(launcher, env, platform)
  if (login === undefined) return { name, state: 'good', text }
  return login.seen
    ? { name, state: 'good', text: `${text}, login found` }
    : { name, state: 'note', text: `${text}, no login found`, remedy: login.remedy }
}

/** Undefined if a login can't be seen: macOS keeps it in the keychain, and some agents need none. */
export function loginOf({ programs, login }: Launcher, env: Environment, platform: string = process.platform) {
  const { shownBy, variables = [] } = login
  if (shownBy === undefined || platform === 'darwin') return undefined
  const home = realHome(env)
  const folders = variables.flatMap((name) => env[name] || [])
  const files = shownBy.files.flatMap((file) => [
    join(home, file),
    ...folders.map((folder) => join(folder, basename(file))),
  ])
  const seen = shownBy.variables.some((name) => Boolean(env[name])) || files.some((file) => existsSync(file))
  return { seen, remedy: `If it needs one, run ${programs[0]} once and log in, or set ${shownBy.variables[0]}.` }
}

const MOST_FOLDERS = 6

/** From the package that the program belongs to: starting the agent for its version takes too long. */
function versionOf(program: string): string {
  try {
    let folder = dirname(realpathSync(program))
    for (let n = 0; n < MOST_FOLDERS && dirname(folder) !== folder; n++, folder = dirname(folder)) {
      const file = join(folder, 'package.json')
      if (!existsSync(file)) continue
      const { version, bin } = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown; bin?: unknown }
      return bin !== undefined && typeof version === 'string' && /^\d[\w.+-]{0,40}$/.test(version) ? ` ${version}` : ''
    }
  } catch {
    // A version is only for information.
  }
  return ''
}
