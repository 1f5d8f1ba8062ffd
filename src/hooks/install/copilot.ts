import { join } from 'node:path'
import { ownFile } from './own-file.ts'

/** Copilot CLI reads every file of a folder, so ours is one of our own. */
export const installation = ownFile({
  host: 'copilot',
  file: ({ scope, dir, home }) =>
    scope === 'project'
      ? join(dir, '.github', 'hooks', 'exitgate.json')
      : join(home, '.copilot', 'hooks', 'exitgate.json'),
  text: ({ line, seconds }) =>
    `${JSON.stringify({ version: 1, hooks: { agentStop: [{ type: 'command', bash: line, timeoutSec: seconds }] } }, null, 2)}\n`,
  command: (text) => {
    try {
      const command: unknown = JSON.parse(text)?.hooks?.agentStop?.[0]?.bash
      return typeof command === 'string' ? command : undefined
    } catch {
      return undefined
    }
  },
  notes: ['Copilot CLI reads it when a session begins; the cloud agent reads only the one of the project.'],
})
