import type { Launcher } from './launcher.ts'

/** Aider. It prints plain text, has no sessions, and reads its prompt from a file. */
export const aider: Launcher = {
  name: 'aider',
  programs: ['aider'],
  format: 'text',
  mcp: false,
  login: { folders: ['.aider'], files: ['.aider.conf.yml', '.aider.model.settings.yml'] },
  reportsCost: false,
  reportsTokens: false,
  launch: (call) => ({
    args: [...call.args, '--message-file', '/dev/stdin', '--no-pretty', '--no-stream', '--no-check-update'],
    stdin: call.prompt,
    env: {},
  }),
}
