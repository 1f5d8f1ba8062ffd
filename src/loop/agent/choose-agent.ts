import { LAUNCHERS } from '../../agents/launch/index.ts'
import type { McpServer } from '../../agents/launch/launcher.ts'
import { ConfigError } from '../../config/errors.ts'
import type { Loaded } from '../../config/load.ts'
import { nearest } from '../../config/nearest.ts'
import type { RunConfig } from '../../core/config.ts'
import type { OwnAgent } from '../../core/own-parts.ts'
import { findProgram } from '../../system/find-program.ts'
import type { ConfiguredAgent } from '../start-agent.ts'

/** What a claim is addressed with: integrations/signals/attempt.ts. */
const OF_THE_RUN = ['EXITGATE_RUN', 'EXITGATE_ITERATION', 'EXITGATE_NONCE', 'EXITGATE_INBOX']

export interface AgentOptions {
  readonly config: RunConfig
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Agents that the project defines. */
  readonly own?: readonly OwnAgent[]
  /** Path of this program, for agents that are given its tool. */
  readonly program?: string
}

/** The words behind `--` are the person's: further words for an agent known by name, else the whole command. */
export function withWords(loaded: Loaded, behind: readonly string[]): Loaded {
  if (behind.length === 0) return loaded
  const { run } = loaded.config
  const named = run.agent !== undefined
  const words = named ? { agentArgs: [...run.agentArgs, ...behind] } : { command: behind }
  const sources = new Map(loaded.sources).set(named ? 'run.agentArgs' : 'run.command', 'flag --')
  return { ...loaded, sources, config: { ...loaded.config, run: { ...run, ...words } } }
}

/** A resumed run has its agent already: that none was named this time is no change of the configuration. */
export function withAgentOf(loaded: Loaded, before: RunConfig | undefined): Loaded {
  if (before === undefined) return loaded
  const { agent: _agent, ...rest } = loaded.config.run
  const { agent, command, agentArgs } = before
  // What the person says this time about how it is started and read comes first.
  const said = (name: string): boolean => /^(?:flag|environment) /.test(loaded.sources.get(`run.${name}`) ?? '')
  const format = said('format') ? rest.format : before.format
  const mcp = said('mcp') ? rest.mcp : before.mcp
  const run = { ...rest, ...(agent === undefined ? {} : { agent }), command, agentArgs, format, mcp }
  return { ...loaded, config: { ...loaded.config, run } }
}

/** The agent the person chose: one that is known by name, or any command. */
export function agentOf({ config, workspace, env, own = [], program: self }: AgentOptions): ConfiguredAgent {
  const mcp = config.mcp ? mcpServer(self ?? process.argv[1] ?? '') : undefined
  const defined = own.find(({ name }) => name === config.agent)
  if (defined !== undefined) return ownAgent(defined, config.agentArgs, workspace, env)
  if (config.agent !== undefined) return knownAgent(config.agent, config.agentArgs, workspace, env, mcp)
  const [program, ...args] = config.command
  if (program === undefined)
    throw new ConfigError(
      `exitgate run needs an agent: name one with --agent ${LAUNCHERS.map(({ name }) => name).join('|')}|acp, or give a command behind --`,
    )
  const path = programOf(program, workspace, env)
  return {
    shown: config.command,
    format: config.format,
    command: ({ prompt }) => ({ argv: [path, ...args], stdin: prompt }),
  }
}

/** One that the project defines: its program is looked up at each start, because the command can differ. */
function ownAgent(
  { name, format = 'auto', command }: OwnAgent,
  args: readonly string[],
  workspace: string,
  env: AgentOptions['env'],
): ConfiguredAgent {
  return {
    shown: [name, ...args],
    format,
    command(start) {
      const { argv, stdin = start.prompt, ...rest } = command({ ...start, args })
      const [program = '', ...others] = argv
      return { argv: [programOf(program, workspace, env), ...others], stdin, ...rest }
    },
  }
}

/** Any agent that speaks the Agent Client Protocol: the words behind `--` are its command. */
function acpAgent(
  [program, ...args]: readonly string[],
  workspace: string,
  env: AgentOptions['env'],
  mcp: McpServer | undefined,
): ConfiguredAgent {
  if (program === undefined)
    throw new ConfigError('--agent acp needs the command of the agent behind --, as in --agent acp -- gemini --acp')
  const path = programOf(program, workspace, env)
  return { shown: [program, ...args], format: 'acp', ...tool(mcp), command: () => ({ argv: [path, ...args] }) }
}

function knownAgent(
  name: string,
  args: readonly string[],
  workspace: string,
  env: AgentOptions['env'],
  mcp: McpServer | undefined,
): ConfiguredAgent {
  if (name === 'acp') return acpAgent(args, workspace, env, mcp)
  const launcher = LAUNCHERS.find((each) => each.name === name)
  if (launcher === undefined) {
    const names = [...LAUNCHERS.map((known) => known.name), 'acp']
    const near = nearest(name, names)
    throw new ConfigError(
      `--agent is "${name}"; it must be one of ${names.join(', ')}${near === undefined ? '' : `; did you mean "${near}"?`}`,
    )
  }
  if (mcp !== undefined && !launcher.mcp)
    throw new ConfigError(
      `--mcp: ${name} cannot be given a tool on its command line; add \`exitgate mcp\` to its own settings`,
    )
  const path = programOf(launcher.programs[0] ?? name, workspace, env)
  return {
    ...tool(mcp),
    shown: [launcher.programs[0] ?? name, ...args],
    format: launcher.format,
    command({ prompt, session }) {
      const launch = launcher.launch({ prompt, args, ...(session === undefined ? {} : { session }), ...tool(mcp) })
      return { argv: [path, ...launch.args], stdin: launch.stdin, env: launch.env }
    },
  }
}

/** This very program, as the agent's server; it inherits what it needs to know of the run from the agent. */
function mcpServer(program: string): McpServer {
  return { command: process.execPath, args: [program, 'mcp'], env: OF_THE_RUN }
}

const tool = (mcp: McpServer | undefined): { readonly mcp?: McpServer } => (mcp === undefined ? {} : { mcp })

/** Found once, before anything starts: a wrong name costs no baseline, and the agent cannot put another program in its place. */
function programOf(name: string, workspace: string, env: AgentOptions['env']): string {
  const path = findProgram(name, workspace, env)
  if (path !== undefined) return path
  throw new ConfigError(`the agent "${name}" was not found; install it, or give its path behind --`)
}
