import { type Launcher, sessionOf } from './launcher.ts'

/** Amp. Its stream has the events of Claude Code, without costs. */
export const amp: Launcher = {
  name: 'amp',
  programs: ['amp'],
  format: 'claude',
  mcp: false,
  login: {
    folders: ['.config/amp', '.local/share/amp', '.cache/amp'],
    readOnly: ['.config/amp/settings.json', '.config/amp/plugins', '.config/amp/AGENTS.md'],
    shownBy: { files: ['.local/share/amp/secrets.json'], variables: ['AMP_API_KEY'] },
  },
  reportsCost: false,
  reportsTokens: false,
  launch(call) {
    const session = sessionOf(call)
    return {
      args: [
        ...(session === undefined ? [] : ['threads', 'continue', session]),
        ...call.args,
        '--execute',
        '--stream-json',
      ],
      stdin: call.prompt,
      env: {},
    }
  },
}
