import { objectIn } from '../json-value.ts'
import { type Launcher, sessionOf } from './launcher.ts'
import { settingsIn } from './settings-file.ts'

/** Qwen Code. Without permission options, it denies what needs permission. */
export const qwen: Launcher = {
  name: 'qwen',
  programs: ['qwen'],
  format: 'qwen',
  mcp: false,
  login: {
    folders: ['.qwen'],
    readOnly: ['.qwen/settings.json', '.qwen/extensions', '.qwen/QWEN.md'],
    shownBy: { files: ['.qwen/oauth_creds.json', '.qwen/.env'], variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'] },
  },
  reportsCost: false,
  model: {
    inOutput: true,
    options: ['--model', '-m'],
    variables: ['OPENAI_MODEL', 'QWEN_MODEL'],
    settings: ['.qwen/settings.json', '~/.qwen/settings.json'].map((file) => ({
      file,
      read: (text) => objectIn(settingsIn(text).model).name,
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
