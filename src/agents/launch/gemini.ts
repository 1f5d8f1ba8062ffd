import { objectIn } from '../json-value.ts'
import { type Launcher, sessionOf } from './launcher.ts'
import { settingsIn } from './settings-file.ts'

/** Gemini CLI. It reads MCP servers only from its settings files. */
export const gemini: Launcher = {
  name: 'gemini',
  programs: ['gemini'],
  format: 'gemini',
  mcp: false,
  login: {
    folders: ['.gemini'],
    readOnly: ['.gemini/settings.json', '.gemini/extensions', '.gemini/GEMINI.md'],
    variables: ['GEMINI_CLI_HOME'],
    shownBy: {
      files: ['.gemini/oauth_creds.json', '.gemini/.env'],
      variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
    },
  },
  reportsCost: false,
  reportsTokens: 'at its end',
  model: {
    inOutput: true,
    options: ['--model', '-m'],
    variables: ['GEMINI_MODEL'],
    settings: ['.gemini/settings.json', '~/.gemini/settings.json'].map((file) => ({
      file,
      read: (text) => objectIn(settingsIn(text).model).name ?? settingsIn(text).model,
    })),
  },
  launch(call) {
    const session = sessionOf(call)
    return {
      args: [...call.args, '--output-format', 'stream-json', ...(session === undefined ? [] : ['--resume', session])],
      stdin: call.prompt,
      env: {},
    }
  },
}
