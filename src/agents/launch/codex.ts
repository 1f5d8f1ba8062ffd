import { type Launcher, MCP_SERVER, type McpServer, sessionOf } from './launcher.ts'

/** Codex. Its sandbox is read-only unless the user's arguments or configuration change that. */
export const codex: Launcher = {
  name: 'codex',
  programs: ['codex'],
  format: 'codex',
  mcp: true,
  login: {
    folders: ['.codex'],
    readOnly: ['.codex/config.toml', '.codex/hooks.json', '.codex/AGENTS.md'],
    variables: ['CODEX_HOME'],
    shownBy: { files: ['.codex/auth.json'], variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
  },
  reportsCost: false,
  launch(call) {
    const session = sessionOf(call)
    return {
      args: [
        'exec',
        ...(call.mcp === undefined ? [] : serverOptions(call.mcp)),
        ...call.args,
        '--json',
        ...(session === undefined ? [] : ['resume', session]),
        '-',
      ],
      stdin: call.prompt,
      env: {},
    }
  },
}

/** Values are TOML; JSON strings and lists of strings are valid TOML. */
function serverOptions({ command, args, env }: McpServer): readonly string[] {
  const key = `mcp_servers.${MCP_SERVER}`
  return [
    '-c',
    `${key}.command=${JSON.stringify(command)}`,
    '-c',
    `${key}.args=${JSON.stringify(args)}`,
    '-c',
    `${key}.env_vars=${JSON.stringify(env)}`,
    '-c',
    `${key}.default_tools_approval_mode="approve"`,
  ]
}
