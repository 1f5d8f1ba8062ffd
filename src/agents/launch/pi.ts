import { type Launcher, sessionOf } from './launcher.ts'

/** pi. It does not support MCP servers. */
export const pi: Launcher = {
  name: 'pi',
  programs: ['pi'],
  format: 'pi',
  mcp: false,
  login: {
    // The second is named because a folder that is mounted cannot be renamed.
    folders: ['.pi', '.pi/agent'],
    readOnly: ['.pi/agent/models.json', '.pi/agent/settings.json', '.pi/agent/extensions'],
    variables: ['PI_CODING_AGENT_DIR'],
  },
  reportsCost: true,
  launch(call) {
    const session = sessionOf(call)
    return {
      args: [...call.args, '--mode', 'json', '--print', ...(session === undefined ? [] : ['--session', session])],
      stdin: call.prompt,
      env: {},
    }
  },
}
