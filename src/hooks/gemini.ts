import { join } from 'node:path'
import { flagIn, known, textIn } from './fields.ts'
import { ANSWERED, type HookClient, line } from './hook-client.ts'
import type { Installation } from './install/installation.ts'

/**
 * Gemini CLI: `AfterAgent`. With empty output it reads standard error instead, so exitgate always prints an object. It forgets an
 * earlier refusal as soon as a tool runs, so exitgate counts the refusals itself. `prompt_response` contains every text since the
 * prompt. So the final message is read from the transcript, which is written before the hook is called.
 */
export const gemini: HookClient = {
  name: 'gemini',
  cap: () => undefined,
  forgives: true,
  seconds: 60,
  read: (payload, env) => {
    if ((textIn(payload, 'hook_event_name') ?? 'AfterAgent') !== 'AfterAgent') return undefined
    const transcript = textIn(payload, 'transcript_path')
    const asked = textIn(payload, 'prompt')
    const again = flagIn(payload, 'stop_hook_active')
    return {
      of: 'turn',
      session: textIn(payload, 'session_id') ?? '',
      // The prompt has no id, but its text stays the same in all retries.
      prompt: asked ?? '',
      part: '',
      folders: known(env.GEMINI_PROJECT_DIR, textIn(payload, 'cwd')),
      soFar: textIn(payload, 'prompt_response') ?? '',
      ...(transcript === undefined ? {} : { transcript }),
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
    client: 'gemini',
    file: ({ scope, dir, home }) => join(scope === 'project' ? dir : home, '.gemini', 'settings.json'),
    events: {
      AfterAgent: ({ line, seconds }) => ({
        matcher: '*',
        // Gemini CLI counts in milliseconds.
        hooks: [{ name: 'exitgate', type: 'command', command: line, timeout: seconds * 1000 }],
      }),
    },
    notes: ['Gemini CLI reads this file when it starts, and asks once whether hooks of a project may run.'],
  })
}
