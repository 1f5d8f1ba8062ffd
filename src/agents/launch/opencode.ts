import { type Launcher, MCP_SERVER, sessionOf } from './launcher.ts'
import { settingsIn } from './settings-file.ts'

/** opencode. Configuration in the environment overrides its configuration files. */
export const opencode: Launcher = {
  name: 'opencode',
  programs: ['opencode'],
  format: 'opencode',
  mcp: true,
  login: {
    folders: ['.local/share/opencode', '.local/state/opencode', '.cache/opencode', '.config/opencode'],
    readOnly: ['opencode.json', 'opencode.jsonc', 'AGENTS.md', 'plugin', 'plugins'].map(
      (name) => `.config/opencode/${name}`,
    ),
    variables: ['OPENCODE_CONFIG_DIR'],
    shownBy: {
      files: ['.local/share/opencode/auth.json'],
      variables: [
        ...['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
        ...['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
      ],
    },
  },
  reportsCost: true,
  model: {
    inOutput: false,
    options: ['--model', '-m'],
    settings: ['', '~/.config/opencode/'].flatMap((folder) =>
      ['opencode.json', 'opencode.jsonc'].map((name) => ({
        file: `${folder}${name}`,
        read: (text: string) => settingsIn(text).model,
      })),
    ),
  },
  launch(call) {
    const session = sessionOf(call)
    const { mcp } = call
    const servers = mcp && { [MCP_SERVER]: { type: 'local', command: [mcp.command, ...mcp.args], enabled: true } }
    return {
      args: ['run', ...call.args, '--format', 'json', ...(session === undefined ? [] : ['--session', session])],
      stdin: call.prompt,
      env: servers === undefined ? {} : { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: servers }) },
    }
  },
}
