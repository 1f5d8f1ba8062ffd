import { type Launcher, MCP_SERVER, sessionOf } from './launcher.ts'

/** Claude Code. Without words about permissions from the user, it refuses what needs one, and says so at the end. */
export const claude: Launcher = {
  name: 'claude',
  programs: ['claude'],
  format: 'claude',
  mcp: true,
  login: {
    folders: ['.claude'],
    files: ['.claude.json'],
    readOnly: [
      '.claude/settings.json',
      '.claude/settings.local.json',
      '.claude/hooks',
      '.claude/plugins',
      '.claude/CLAUDE.md',
    ],
    variables: ['CLAUDE_CONFIG_DIR'],
  },
  launch(call) {
    const session = sessionOf(call)
    const { mcp } = call
    const servers = mcp && JSON.stringify({ mcpServers: { [MCP_SERVER]: { command: mcp.command, args: mcp.args } } })
    return {
      // Options that take several words go before one that takes none, so that they cannot swallow the user's own.
      args: [
        ...(servers === undefined ? [] : ['--mcp-config', servers, '--allowedTools', `mcp__${MCP_SERVER}`]),
        ...call.args,
        ...(session === undefined ? [] : ['--resume', session]),
        '--output-format',
        'stream-json',
        '--verbose',
        '--print',
      ],
      stdin: call.prompt,
      env: {},
    }
  },
}
