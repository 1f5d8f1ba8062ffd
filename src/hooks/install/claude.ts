import { join } from 'node:path'
import type { Call } from './installation.ts'
import { jsonHooks } from './json-hooks.ts'

export const group = ({ line, seconds }: Call): object => ({
  hooks: [{ type: 'command', command: line, timeout: seconds }],
})

export const installation = jsonHooks({
  host: 'claude',
  file: ({ scope, dir, home, env }) =>
    scope === 'project'
      ? join(dir, '.claude', 'settings.json')
      : join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
  events: { Stop: group, SubagentStop: group, TaskCompleted: group },
  notes: [
    'Claude Code reads it when a session begins.',
    'Cursor and Copilot CLI read this file too: do not install exitgate for them in the same project.',
  ],
})
