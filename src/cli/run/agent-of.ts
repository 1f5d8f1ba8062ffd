import { LAUNCHERS } from '../../agents/launch/index.ts'
import type { RunConfig } from '../../config/types.ts'
import { findProgram } from '../../evidence/find-program.ts'
import type { StartAgent } from '../../loop/start-agent.ts'
import { InputError } from '../errors.ts'
import { oneOf } from '../parse.ts'

export interface AgentOptions {
  readonly config: RunConfig
  /** What stood behind `--`. */
  readonly behind: readonly string[]
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The agent the person chose: one that is known by name, with further words behind `--`, or any command. */
export function agentOf({ config, behind, workspace, env }: AgentOptions): StartAgent {
  if (config.agent !== undefined) return knownAgent(config.agent, [...config.agentArgs, ...behind], workspace, env)
  const [program, ...args] = behind
  if (program === undefined)
    throw new InputError(
      `exitgate run needs an agent: name one with --agent ${LAUNCHERS.map(({ name }) => name).join('|')}, or give a command behind --`,
    )
  const path = programOf(program, workspace, env)
  return {
    shown: behind,
    format: config.format,
    command: ({ prompt }) => ({ argv: [path, ...args], stdin: prompt }),
  }
}

function knownAgent(name: string, args: readonly string[], workspace: string, env: AgentOptions['env']): StartAgent {
  const launcher = LAUNCHERS.find(
    (each) =>
      each.name ===
      oneOf(
        '--agent',
        name,
        LAUNCHERS.map((known) => known.name),
      ),
  )
  if (launcher === undefined) throw new InputError(`--agent is "${name}", which is not known`)
  const path = programOf(launcher.programs[0] ?? name, workspace, env)
  return {
    shown: [launcher.programs[0] ?? name, ...args],
    format: launcher.format,
    command({ prompt, session }) {
      const launch = launcher.launch({ prompt, args, ...(session === undefined ? {} : { session }) })
      return { argv: [path, ...launch.args], stdin: launch.stdin, env: launch.env }
    },
  }
}

/** Found once, before anything starts: a wrong name costs no baseline, and the agent cannot put another program in its place. */
function programOf(name: string, workspace: string, env: AgentOptions['env']): string {
  const path = findProgram(name, workspace, env)
  if (path !== undefined) return path
  throw new InputError(`the agent "${name}" was not found; install it, or give its path behind --`)
}
