import { join } from 'node:path'
import { passWithMessage } from './copilot.ts'
import { type Fields, known, listIn, textIn } from './fields.ts'
import { ANSWERED, type Environment, type HookClient, line, type Stop } from './hook-client.ts'
import type { Installation } from './install/installation.ts'

/** Cursor allows five follow-ups unless the hook sets another limit; exitgate stops one before the limit. */
const LOOP_LIMIT = 20

const CAP = 5

/**
 * Cursor: `stop` can't refuse, but its follow-up message becomes the next prompt. The final text comes in a separate event,
 * `afterAgentResponse`, and is stored until the stop.
 */
export const cursor: HookClient = {
  name: 'cursor',
  cap: () => CAP,
  forgives: false,
  seconds: 60,
  read: (payload, env) => {
    const event = textIn(payload, 'hook_event_name') ?? 'stop'
    if (event !== 'stop') return undefined
    const status = textIn(payload, 'status') ?? 'completed'
    const transcript = textIn(payload, 'transcript_path')
    return {
      ...stopOf(payload, env),
      ...(transcript === undefined ? {} : { transcript }),
      ...(status === 'completed' ? {} : { notAnEnd: `the turn was ${status}` }),
      ...(typeof payload.loop_count === 'number' ? { again: payload.loop_count > 0 } : {}),
    }
  },
  remember: (payload, env) => {
    const text = textIn(payload, 'text')
    if (textIn(payload, 'hook_event_name') !== 'afterAgentResponse' || text === undefined) return undefined
    return { stop: stopOf(payload, env), text }
  },
  answer: (reply) =>
    reply.action === 'refuse'
      ? { stdout: line({ followup_message: reply.reason }), stderr: '', code: ANSWERED }
      : passWithMessage(reply.message),
  installation,
}

function stopOf(payload: Fields, env: Environment): Stop {
  const roots = listIn(payload, 'workspace_roots').filter((root) => typeof root === 'string')
  return {
    of: 'turn',
    session: textIn(payload, 'conversation_id') ?? '',
    // Every follow-up has its own generation id, so the id doesn't identify the user's prompt.
    prompt: '',
    part: '',
    folders: known(...roots, env.CURSOR_PROJECT_DIR, textIn(payload, 'cwd')),
    pending: [],
  }
}

async function installation(): Promise<Installation> {
  const { jsonHooks } = await import('./install/json-hooks.ts')
  return jsonHooks({
    client: 'cursor',
    file: ({ scope, dir, home }) => join(scope === 'project' ? dir : home, '.cursor', 'hooks.json'),
    events: {
      stop: ({ line, seconds }) => ({ command: line, timeout: seconds, loop_limit: LOOP_LIMIT }),
      afterAgentResponse: ({ line }) => ({ command: line }),
    },
    otherKeys: { version: 1 },
    options: ['--max-refusals', String(LOOP_LIMIT - 1)],
    notes: ["Cursor can't refuse a stop. exitgate sends what is missing as the next message."],
  })
}
