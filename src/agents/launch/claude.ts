import { type Launcher, MCP_SERVER, sessionOf } from './launcher.ts'

/** Claude Code. Without permission flags, it denies what needs permission and reports that at the end. */
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
      '.claude/agents',
      '.claude/commands',
      '.claude/skills',
      '.claude/plugins',
      '.claude/CLAUDE.md',
    ],
    variables: ['CLAUDE_CONFIG_DIR'],
    shownBy: {
      files: ['.claude/.credentials.json'],
      variables: [
        ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
        ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
      ],
    },
  },
  reportsCost: true,
  launch(call) {
    const session = sessionOf(call)
    const { mcp } = call
    const servers =
      mcp &&
      JSON.stringify({ mcpServers: { [MCP_SERVER]: { command: mcp.command, args: mcp.args, alwaysLoad: true } } })
    return {
      // Options with several values go before one without a value, so that they can't consume the user's arguments.
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
