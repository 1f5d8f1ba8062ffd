import { blockOrSay } from './claude.ts'
import { known, textIn } from './fields.ts'
import { ANSWERED, type Host } from './host.ts'

/** pi: our own extension asks at the end of a turn without tool calls, and sends the refusal as the next message. */
export const pi: Host = {
  name: 'pi',
  cap: () => undefined,
  forgives: true,
  seconds: 600,
  read: (payload) => {
    if (textIn(payload, 'event') !== 'end') return undefined
    const reason = textIn(payload, 'stopReason') ?? 'stop'
    return {
      of: 'turn',
      session: textIn(payload, 'session') ?? '',
      prompt: textIn(payload, 'prompt') ?? '',
      part: '',
      folders: known(textIn(payload, 'cwd')),
      message: textIn(payload, 'message') ?? '',
      ...(reason === 'stop' ? {} : { notAnEnd: `the turn ended with ${reason}` }),
      pending: [],
    }
  },
  answer: (reply) => ({ stdout: blockOrSay(reply), stderr: '', code: ANSWERED }),
  installation: async () => (await import('./install/pi.ts')).installation,
}
