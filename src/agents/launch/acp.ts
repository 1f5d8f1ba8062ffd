import type { AgentLogin, Launcher } from './launcher.ts'

interface AcpAgent {
  readonly name: string
  readonly program: string
  /** The arguments that make it an ACP server. */
  readonly args: readonly string[]
  readonly login: AgentLogin
}

/** An agent that is driven over the Agent Client Protocol. Prompt, session and permissions are part of the protocol. */
export const acpLauncher = ({ name, program, args, login }: AcpAgent): Launcher => ({
  ...{ name, login, programs: [program], format: 'acp', mcp: true },
  reportsCost: false,
  reportsTokens: false,
  launch: (call) => ({ args: [...args, ...call.args], env: {} }),
})
