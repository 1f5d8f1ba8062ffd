import { join } from 'node:path'
import { jsonHooks } from './json-hooks.ts'

export const installation = jsonHooks({
  host: 'gemini',
  file: ({ scope, dir, home }) => join(scope === 'project' ? dir : home, '.gemini', 'settings.json'),
  events: {
    AfterAgent: ({ line, seconds }) => ({
      matcher: '*',
      // Gemini CLI counts in milliseconds.
      hooks: [{ name: 'exitgate', type: 'command', command: line, timeout: seconds * 1000 }],
    }),
  },
  notes: ['Gemini CLI reads it when it starts, and asks once whether hooks of a project may run.'],
})
