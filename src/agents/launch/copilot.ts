import { type Launcher, sessionOf } from './launcher.ts'

/** GitHub Copilot CLI. It reports neither cost nor tokens: a subscription counts requests. */
export const copilot: Launcher = {
  name: 'copilot',
  programs: ['copilot'],
  format: 'copilot',
  mcp: false,
  login: {
    folders: ['.copilot', '.cache/copilot'],
    readOnly: ['.copilot/hooks', '.copilot/settings.json', '.copilot/mcp-config.json', '.copilot/agents'],
    variables: ['COPILOT_HOME'],
  },
  reportsCost: false,
  reportsTokens: false,
  launch(call) {
    const session = sessionOf(call)
    return {
      // The value of --resume is optional, so it must not be a word of its own.
      args: [...call.args, '--output-format', 'json', ...(session === undefined ? [] : [`--resume=${session}`])],
      stdin: call.prompt,
      env: {},
    }
  },
}
