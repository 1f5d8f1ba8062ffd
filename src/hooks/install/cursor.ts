import { join } from 'node:path'
import { jsonHooks } from './json-hooks.ts'

/** Cursor ends the conversation's follow-ups after five unless the hook says otherwise; ours stops one before that. */
const LOOP_LIMIT = 20

export const installation = jsonHooks({
  host: 'cursor',
  file: ({ scope, dir, home }) => join(scope === 'project' ? dir : home, '.cursor', 'hooks.json'),
  events: {
    stop: ({ line, seconds }) => ({ command: line, timeout: seconds, loop_limit: LOOP_LIMIT }),
    afterAgentResponse: ({ line }) => ({ command: line }),
  },
  besides: { version: 1 },
  options: ['--max-refusals', String(LOOP_LIMIT - 1)],
  notes: ['Cursor cannot refuse a stop: what is missing is sent to the agent as the next message.'],
})
