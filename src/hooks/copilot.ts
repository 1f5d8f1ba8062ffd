import { flagIn, known, textIn } from './fields.ts'
import { ANSWERED, type Bytes, type Host, line } from './host.ts'

const CAP = 8

/** GitHub Copilot CLI: `agentStop`. Only an object on the standard output refuses; an exit code never does. */
export const copilot: Host = {
  name: 'copilot',
  cap: () => CAP,
  forgives: false,
  seconds: 30,
  read: (payload) => {
    const event = textIn(payload, 'hookEventName', 'hook_event_name') ?? 'agentStop'
    if (!/^(?:agentStop|Stop)$/.test(event)) return undefined
    const transcript = textIn(payload, 'transcriptPath', 'transcript_path')
    const reason = textIn(payload, 'stopReason', 'stop_reason') ?? 'end_turn'
    const again = flagIn(payload, 'stop_hook_active') ?? flagIn(payload, 'stopHookActive')
    const message = textIn(payload, 'last_assistant_message', 'lastAssistantMessage')
    return {
      of: 'turn',
      session: textIn(payload, 'sessionId', 'session_id') ?? '',
      prompt: '',
      part: '',
      folders: known(textIn(payload, 'cwd')),
      ...(message === undefined ? {} : { message }),
      ...(transcript === undefined ? {} : { transcript }),
      ...(reason === 'end_turn' ? {} : { notAnEnd: `the turn ended with ${reason}` }),
      pending: [],
      ...(again === undefined ? {} : { again }),
    }
  },
  answer: (reply) =>
    reply.action === 'refuse'
      ? { stdout: line({ decision: 'block', reason: reply.reason }), stderr: '', code: ANSWERED }
      : saidAside(reply.message),
  installation: async () => (await import('./install/copilot.ts')).installation,
}

/** Hosts that have no place for a word to the person show the standard error, if anything. */
export const saidAside = (message: string | undefined): Bytes => ({
  stdout: line({}),
  stderr: message === undefined ? '' : `${message}\n`,
  code: ANSWERED,
})
