import { nearest } from '../../../packages/core/src/nearest.ts'
import { LAUNCHERS } from '../../agents/launch/index.ts'
import type { McpServer } from '../../agents/launch/launcher.ts'
import { ConfigError } from '../../config/errors.ts'
import type { Loaded } from '../../config/load.ts'
import type { OwnAgent } from '../../core/own-parts.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { findProgram } from '../../system/find-program.ts'
import type { ConfiguredAgent } from '../start-agent.ts'

/** The variables that address a claim, as in inbox/attempt.ts. */
const RUN_VARIABLES = ['EXITGATE_RUN', 'EXITGATE_ITERATION', 'EXITGATE_NONCE', 'EXITGATE_INBOX']

export interface AgentOptions {
  readonly config: RunConfig
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Agents that the project defines. */
  readonly own?: readonly OwnAgent[]
  /** Path of this program, for agents that get its MCP tool. */
  readonly program?: string
  /** The program may be missing now, because something installs it before the agent starts. */
  readonly mayBeMissing?: boolean
}

/** Where an agent's program is looked up. */
type Lookup = Pick<AgentOptions, 'workspace' | 'env' | 'mayBeMissing'>

/** Adds the arguments after `--`: more arguments for a named agent, else the whole command. */
export function withArguments(loaded: Loaded, args: readonly string[]): Loaded {
  if (args.length === 0) return loaded
  const { run } = loaded.config
  const named = run.agent !== undefined
  const words = named ? { agentArgs: [...run.agentArgs, ...args] } : { command: args }
  const sources = new Map(loaded.sources).set(named ? 'run.agentArgs' : 'run.command', 'flag --')
  return { ...loaded, sources, config: { ...loaded.config, run: { ...run, ...words } } }
}

/** A resumed run keeps its agent, so the user need not name it again. */
export function withAgentOf(loaded: Loaded, before: RunConfig | undefined): Loaded {
  if (before === undefined) return loaded
  const { agent: _agent, ...rest } = loaded.config.run
  const { agent, command, agentArgs } = before
  // Flags and variables of this call win.
  const isSetNow = (name: string): boolean => /^(?:flag|environment) /.test(loaded.sources.get(`run.${name}`) ?? '')
  const format = isSetNow('format') ? rest.format : before.format
  const mcp = isSetNow('mcp') ? rest.mcp : before.mcp
  const { fallbackAgent: _a, fallbackModel: _m, ...others } = rest
  const fallback = ['fallbackAgent', 'fallbackModel'].some(isSetNow) ? rest : before
  const run = {
    ...others,
    ...(agent === undefined ? {} : { agent }),
    ...{ command, agentArgs, format, mcp },
    ...(fallback.fallbackAgent === undefined ? {} : { fallbackAgent: fallback.fallbackAgent }),
    ...(fallback.fallbackModel === undefined ? {} : { fallbackModel: fallback.fallbackModel }),
    fallbackArgs: fallback.fallbackArgs ?? [],
  }
  return { ...loaded, config: { ...loaded.config, run } }
}

/** The agent the user chose, with its fallback. */
export function agentOf(options: AgentOptions): ConfiguredAgent {
  const { config } = options
  const { agent, agentArgs, fallbackAgent = agent, fallbackModel, fallbackArgs = [] } = config
  const first = oneAgent(options)
  if (config.fallbackAgent === undefined && fallbackModel === undefined) return first
  if (fallbackAgent === undefined)
    throw new ConfigError(
      "--fallback-model needs --agent or --fallback-agent: exitgate doesn't know how your own command takes a model.",
    )
  // Only the same agent understands the arguments of the first.
  const own = fallbackAgent === agent ? withoutModel(agentArgs, fallbackModel !== undefined) : []
  const args = [...own, ...fallbackArgs, ...(fallbackModel === undefined ? [] : ['--model', fallbackModel])]
  const mcp =
    config.mcp && (fallbackAgent === 'acp' || LAUNCHERS.some(({ name, mcp }) => name === fallbackAgent && mcp))
  return {
    ...first,
    fallback: oneAgent({ ...options, config: { ...config, agent: fallbackAgent, agentArgs: args, mcp } }),
  }
}

const MODEL = /^(?:--model|-m)$/

function withoutModel(args: readonly string[], replaced: boolean): readonly string[] {
  if (!replaced) return args
  return args.filter((arg, at) => !MODEL.test(arg) && !MODEL.test(args[at - 1] ?? '') && !arg.startsWith('--model='))
}

/** A known agent or any command. */
function oneAgent({ config, own = [], program: self, ...lookup }: AgentOptions): ConfiguredAgent {
  const mcp = config.mcp ? mcpServer(self ?? process.argv[1] ?? '') : undefined
  const defined = own.find(({ name }) => name === config.agent)
  if (defined !== undefined) return ownAgent(defined, config.agentArgs, lookup)
  if (config.agent !== undefined) return knownAgent(config.agent, config.agentArgs, lookup, mcp)
  const [program, ...args] = config.command
  if (program === undefined)
    throw new ConfigError(
      `No agent given. Use --agent ${LAUNCHERS.map(({ name }) => name).join('|')}|acp, or put a command after --.`,
    )
  const path = programOf(program, lookup)
  return {
    shown: config.command,
    format: config.format,
    command: ({ prompt }) => ({ argv: [path, ...args], stdin: prompt }),
  }
}

/** An agent defined in the project's configuration. Its program is looked up at each start, because the command can differ. */
function ownAgent(
  { name, format = 'auto', command }: OwnAgent,
  args: readonly string[],
  lookup: Lookup,
): ConfiguredAgent {
  return {
    shown: [name, ...args],
    format,
    command(start) {
      const { argv, stdin = start.prompt, ...rest } = command({ ...start, args })
      const [program = '', ...others] = argv
      return { argv: [programOf(program, lookup), ...others], stdin, ...rest }
    },
  }
}

/** Any agent that speaks the Agent Client Protocol. Its command follows `--`. */
function acpAgent([program, ...args]: readonly string[], lookup: Lookup, mcp: McpServer | undefined): ConfiguredAgent {
  if (program === undefined)
    throw new ConfigError('--agent acp needs the command of the agent after --. Example: --agent acp -- gemini --acp')
  const path = programOf(program, lookup)
  return { shown: [program, ...args], format: 'acp', ...tool(mcp), command: () => ({ argv: [path, ...args] }) }
}

function knownAgent(
  name: string,
  args: readonly string[],
  lookup: Lookup,
  mcp: McpServer | undefined,
): ConfiguredAgent {
  if (name === 'acp') return acpAgent(args, lookup, mcp)
  const launcher = LAUNCHERS.find((each) => each.name === name)
  if (launcher === undefined) {
    const names = [...LAUNCHERS.map((known) => known.name), 'acp']
    const near = nearest(name, names)
    throw new ConfigError(
      `Unknown agent "${name}". Use one of ${names.join(', ')}.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    )
  }
  if (mcp !== undefined && !launcher.mcp)
    throw new ConfigError(
      `--mcp doesn't work with ${name}, which takes no MCP server on its command line. Add \`exitgate mcp\` to its own settings instead.`,
    )
  const path = programOf(launcher.programs[0] ?? name, lookup)
  return {
    ...tool(mcp),
    shown: [launcher.programs[0] ?? name, ...args],
    format: launcher.format,
    command({ prompt, session }) {
      const launch = launcher.launch({ prompt, args, ...(session === undefined ? {} : { session }), ...tool(mcp) })
      const { args: words, ...rest } = launch
      return { argv: [path, ...words], ...rest }
    },
  }
}

/** This program as the agent's MCP server. It inherits the run's variables from the agent. */
function mcpServer(program: string): McpServer {
  return { command: process.execPath, args: [program, 'mcp'], env: RUN_VARIABLES }
}

const tool = (mcp: McpServer | undefined): { readonly mcp?: McpServer } => (mcp === undefined ? {} : { mcp })

/** Looked up before anything starts, so that a wrong name fails early and the agent can't replace the program. */
function programOf(name: string, { workspace, env, mayBeMissing }: Lookup): string {
  const path = findProgram(name, workspace, env)
  if (path !== undefined) return path
  if (mayBeMissing === true) return name
  throw new ConfigError(`The agent "${name}" was not found. Install it, or put its path after --.`)
}
