import { join } from 'node:path'
import { flagIn, known, textIn } from './fields.ts'
import { ANSWERED, type Bytes, type HookClient, line } from './hook-client.ts'
import type { Installation } from './install/installation.ts'

const CAP = 8

/** GitHub Copilot CLI: `agentStop`. Only an object on standard output refuses a stop; an exit code doesn't. */
export const copilot: HookClient = {
  name: 'copilot',
  cap: () => CAP,
  forgives: false,
  seconds: 30,
  read: (payload) => {
    const event = textIn(payload, 'hookEventName', 'hook_event_name') ?? 'agentStop'
    if (!/^(?:agentStop|Stop)$/.test(event)) return undefined
    const transcript = textIn(payload, 'transcriptPath', 'transcript_path')
    const { timestamp } = payload
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
      // The call of this hook is written after the final message, up to a second later.
      ...(typeof timestamp === 'number' && {
        isComplete: (lines: readonly string[]) => lines.some((each) => each.includes(`"timestamp":${timestamp}`)),
      }),
      ...(reason === 'end_turn' ? {} : { notAnEnd: `the turn ended with ${reason}` }),
      pending: [],
      ...(again === undefined ? {} : { again }),
    }
  },
  answer: (reply) =>
    reply.action === 'refuse'
      ? { stdout: line({ decision: 'block', reason: reply.reason }), stderr: '', code: ANSWERED }
      : passWithMessage(reply.message),
  installation,
}

/** For clients without a field for messages to the user: some show standard error. */
export const passWithMessage = (message: string | undefined): Bytes => ({
  stdout: line({}),
  stderr: message === undefined ? '' : `${message}\n`,
  code: ANSWERED,
})

/** Copilot CLI reads every file in a folder, so exitgate adds its own file. */
async function installation(): Promise<Installation> {
  const { ownFile } = await import('./install/own-file.ts')
  return ownFile({
    client: 'copilot',
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
    notes: ['Copilot CLI reads this file when a session starts. The cloud agent reads only the project file.'],
  })
}
