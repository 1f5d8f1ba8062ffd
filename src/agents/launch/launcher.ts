/** What one start of an agent is about. */
export interface LaunchCall {
  readonly prompt: string
  /** The words of the user's own for the agent's command line: model, permissions. Nothing is added to what they allow. */
  readonly args: readonly string[]
  /** Go on with this session instead of a fresh one. */
  readonly session?: string
  /** A server with the `exit_signal` tool, for agents that can be given one on the command line. */
  readonly mcp?: McpServer
}

export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  /** Names of environment variables that it needs; some agents pass on only what they are told to. */
  readonly env: readonly string[]
}

/** What comes behind the program's own path, and what else the agent is to find. */
export interface Launch {
  readonly args: readonly string[]
  readonly stdin: string
  readonly env: Readonly<Record<string, string>>
}

/** Where an agent keeps its login, as paths in the user's home. In a sandbox nothing else of the home is visible to it. */
export interface AgentLogin {
  /** Folders it may change: it refreshes tokens and keeps sessions there. */
  readonly folders: readonly string[]
  /** Files it gets a copy of. */
  readonly files?: readonly string[]
  /** Settings in its folders that it may only read: later sessions outside the sandbox would run what it writes there. */
  readonly readOnly?: readonly string[]
  /** Environment variables that name another folder for it. */
  readonly variables?: readonly string[]
}

/** How one agent is started without a person in front of it. A new agent is a new file with one of these, and a line in index.ts. */
export interface Launcher {
  readonly name: string
  /** Names of its program, the usual one first. */
  readonly programs: readonly string[]
  /** What it prints when started like this, as in agents/reader.ts. */
  readonly format: string
  /** Whether it can be given a server with tools. */
  readonly mcp: boolean
  readonly login: AgentLogin
  /**
   * The prompt always comes on standard input: there it may be of any length, and nothing that stands in it is taken for an option.
   */
  readonly launch: (call: LaunchCall) => Launch
}

/** Under this name the agents know the server; tools are offered under it. */
export const MCP_SERVER = 'exitgate'

/**
 * The session to go on with. Its name was read in what the agent printed, so only a plain word passes: never one that the agent's
 * own command line would take for an option or a path.
 */
export function sessionOf(call: LaunchCall): string | undefined {
  return call.session !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(call.session) ? call.session : undefined
}
