import type { TokenCounts } from '../../../packages/exitgate/src/agents/message-usage.ts'

/** One start of an agent. */
export interface LaunchCall {
  readonly prompt: string
  /** The user's own arguments for the agent: model, permissions. exitgate adds no permissions. */
  readonly args: readonly string[]
  /** The session to continue, instead of a new one. */
  readonly session?: string
  /** An MCP server with the `exit_signal` tool, for agents that accept one on the command line. */
  readonly mcp?: McpServer
}

export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  /** Environment variables the server needs; some agents pass on only the listed ones. */
  readonly env: readonly string[]
}

/** The arguments after the program, the input and the environment. */
export interface Launch {
  readonly args: readonly string[]
  /** Absent for an agent that gets its prompt over a protocol. */
  readonly stdin?: string
  readonly env: Readonly<Record<string, string>>
}

/** Where an agent stores its login, as paths in the user's home folder. In a sandbox, the agent sees nothing else there. */
export interface AgentLogin {
  /** Folders it may change, to refresh tokens and store sessions. */
  readonly folders: readonly string[]
  /** Files that are copied into the sandbox. */
  readonly files?: readonly string[]
  /** Settings in its folders that are read-only, because later sessions outside the sandbox would run what it writes there. */
  readonly readOnly?: readonly string[]
  /** Environment variables that set another folder. */
  readonly variables?: readonly string[]
  /** Where a login shows, if it can be seen: files in the home folder, and variables. Only their existence counts. */
  readonly shownBy?: { readonly files: readonly string[]; readonly variables: readonly string[] }
}

/** Where the name of the agent's model is found. */
export interface ModelPlaces {
  /** Its output names the model, so the other places only help before the first start. */
  readonly inOutput: boolean
  /** Options with the model as their value. */
  readonly options: readonly string[]
  readonly variables?: readonly string[]
  /** Settings files, strongest first. A path that starts with `~/` is in the home folder, any other in the workspace. */
  readonly settings: readonly {
    readonly file: string
    readonly read: (text: string, args: readonly string[]) => unknown
  }[]
  /** The file that the agent writes for a session, below a folder in the home folder. */
  readonly session?: {
    readonly folder: string
    readonly isOf: (file: string, session: string) => boolean
    readonly read: (text: string) => unknown
    /** What the session has used so far, from the end of the file, for an agent that was ended before it could say so. */
    readonly usage?: (text: string) => TokenCounts | undefined
    /** Why its own sandbox could not start, also from the end of the file. */
    readonly sandboxError?: (text: string) => string | undefined
  }
}

/** How one agent is started without a user at the terminal. A new agent is a new file with one of these, and a line in index.ts. */
export interface Launcher {
  readonly name: string
  /** Names of its program, the usual one first. */
  readonly programs: readonly string[]
  /** The format of its output, as in agents/reader.ts. */
  readonly format: string
  /** Whether it accepts an MCP server. */
  readonly mcp: boolean
  readonly login: AgentLogin
  /** It reports what it costs, so a limit in dollars can be enforced. */
  readonly reportsCost: boolean
  /** False: not even tokens, so its cost can't be estimated. At its end: a start that is ended early shows nothing. */
  readonly reportsTokens?: false | 'at its end'
  readonly model?: ModelPlaces
  /** The prompt goes to standard input, where it may have any length and is never taken for an option, or over a protocol. */
  readonly launch: (call: LaunchCall) => Launch
}

/** The value of an option: `--model X` or `--model=X`. The last one counts. */
export function optionIn(args: readonly string[], names: readonly string[]): string | undefined {
  const found = args.flatMap((arg, at) => {
    if (names.includes(arg)) return args[at + 1] ?? []
    const name = names.find((one) => one.startsWith('--') && arg.startsWith(`${one}=`))
    return name === undefined ? [] : arg.slice(name.length + 1)
  })
  return found.at(-1)
}

/** The name of the MCP server in all agents. */
export const MCP_SERVER = 'exitgate'

/** The session to continue. Its ID comes from the agent's output, so only a plain word is accepted, never an option or a path. */
export function sessionOf(call: LaunchCall): string | undefined {
  return call.session !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(call.session) ? call.session : undefined
}
