import { type Launcher, sessionOf } from './launcher.ts'

/** Factory's Droid. Without --auto, it only reads. */
export const droid: Launcher = {
  name: 'droid',
  programs: ['droid'],
  format: 'droid',
  mcp: false,
  login: {
    folders: ['.factory'],
    readOnly: ['.factory/settings.json', '.factory/hooks', '.factory/droids', '.factory/commands', '.factory/mcp.json'],
    shownBy: { files: ['.factory/auth.json', '.factory/auth.encrypted'], variables: ['FACTORY_API_KEY'] },
  },
  reportsCost: false,
  reportsTokens: 'at its end',
  model: { inOutput: true, options: ['--model', '-m'], settings: [] },
  launch(call) {
    const session = sessionOf(call)
    return {
      args: [
        'exec',
        ...call.args,
        '--output-format',
        'stream-json',
        ...(session === undefined ? [] : ['--session-id', session]),
      ],
      stdin: call.prompt,
      env: {},
    }
  },
}
