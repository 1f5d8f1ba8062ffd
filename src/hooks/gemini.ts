import { join } from 'node:path'
import { flagIn, known, textIn } from './fields.ts'
import { ANSWERED, type Host, line } from './host.ts'
import type { Installation } from './install/installation.ts'

/**
 * Gemini CLI: `AfterAgent`. An empty output makes it read the standard error instead, so there is always an object. It forgets
 * that a refusal came before as soon as a tool has run, and spins for ever when nobody else counts.
 */
export const gemini: Host = {
  name: 'gemini',
  cap: () => undefined,
  forgives: true,
  seconds: 60,
  read: (payload, env) => {
    if ((textIn(payload, 'hook_event_name') ?? 'AfterAgent') !== 'AfterAgent') return undefined
    const message = textIn(payload, 'prompt_response')
    const asked = textIn(payload, 'prompt')
    const again = flagIn(payload, 'stop_hook_active')
    return {
      of: 'turn',
      session: textIn(payload, 'session_id') ?? '',
      // There is no number of the prompt, but its words stay the same through all retries.
      prompt: asked ?? '',
      part: '',
      folders: known(env.GEMINI_PROJECT_DIR, textIn(payload, 'cwd')),
      // Its file holds the conversation in pieces, and the message is always there: no transcript is needed.
      message: message ?? '',
      ...(asked === undefined ? {} : { asked }),
      pending: [],
      ...(again === undefined ? {} : { again }),
    }
  },
  answer: (reply) => {
    const said = reply.action === 'pass' ? (reply.message === undefined ? {} : { systemMessage: reply.message }) : {}
    const stdout = reply.action === 'refuse' ? line({ decision: 'deny', reason: reply.reason }) : line(said)
    return { stdout, stderr: '', code: ANSWERED }
  },
  installation,
}

async function installation(): Promise<Installation> {
  const { jsonHooks } = await import('./install/json-hooks.ts')
  return jsonHooks({
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
}
