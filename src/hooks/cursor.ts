import { saidAside } from './copilot.ts'
import { type Fields, known, listIn, textIn } from './fields.ts'
import { ANSWERED, type Environment, type Host, line, type Stop } from './host.ts'

const CAP = 5

/**
 * Cursor: `stop` can refuse nothing, but what it answers as follow-up becomes the next prompt. The final text comes with an event
 * of its own, `afterAgentResponse`, and is kept until the stop.
 */
export const cursor: Host = {
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
      : saidAside(reply.message),
  installation: async () => (await import('./install/cursor.ts')).installation,
}

function stopOf(payload: Fields, env: Environment): Stop {
  const roots = listIn(payload, 'workspace_roots').filter((root) => typeof root === 'string')
  return {
    of: 'turn',
    session: textIn(payload, 'conversation_id') ?? '',
    // Every follow-up is a generation of its own, so it cannot tell one prompt of the person from another.
    prompt: '',
    part: '',
    folders: known(...roots, env.CURSOR_PROJECT_DIR, textIn(payload, 'cwd')),
    pending: [],
  }
}
