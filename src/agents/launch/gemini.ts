import { type Launcher, sessionOf } from './launcher.ts'

/** Gemini CLI. It takes servers with tools from its settings files only. */
export const gemini: Launcher = {
  name: 'gemini',
  programs: ['gemini'],
  format: 'gemini',
  mcp: false,
  launch(call) {
    const session = sessionOf(call)
    return {
      args: [...call.args, '--output-format', 'stream-json', ...(session === undefined ? [] : ['--resume', session])],
      stdin: call.prompt,
      env: {},
    }
  },
}
