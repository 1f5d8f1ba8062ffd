import { blockOrSay } from './claude.ts'
import { known, textIn } from './fields.ts'
import { ANSWERED, type Host } from './host.ts'

/**
 * opencode: our own plugin asks, after a text is complete (`text`; more of the turn may follow) and when the session has come to
 * rest (`idle`).
 */
export const opencode: Host = {
  name: 'opencode',
  cap: () => undefined,
  forgives: true,
  seconds: 600,
  read: (payload) => {
    const event = textIn(payload, 'event')
    if (event !== 'text' && event !== 'idle') return undefined
    return {
      of: 'turn',
      session: textIn(payload, 'session') ?? '',
      prompt: textIn(payload, 'prompt') ?? '',
      part: '',
      folders: known(textIn(payload, 'cwd')),
      message: textIn(payload, 'message') ?? '',
      pending: [],
      ...(event === 'text' ? { maybeMore: true as const } : {}),
    }
  },
  answer: (reply) => ({ stdout: blockOrSay(reply), stderr: '', code: ANSWERED }),
  installation: async () => (await import('./install/opencode.ts')).installation,
}
