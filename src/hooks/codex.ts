import { blockOrMessage } from './claude.ts'
import { flagIn, known, textIn } from './fields.ts'
import type { HookClient } from './hook-client.ts'

/** Codex CLI: `Stop`. An unknown field would let the turn end. Codex has no limit on refusals. */
export const codex: HookClient = {
  name: 'codex',
  cap: () => undefined,
  forgives: true,
  seconds: 600,
  read: (payload) => {
    const event = textIn(payload, 'hook_event_name') ?? 'Stop'
    if (event !== 'Stop' && event !== 'SubagentStop') return undefined
    const helper = event === 'SubagentStop'
    const message = textIn(payload, 'last_assistant_message')
    const transcript = textIn(payload, helper ? 'agent_transcript_path' : 'transcript_path')
    const again = flagIn(payload, 'stop_hook_active')
    return {
      of: helper ? 'helper' : 'turn',
      session: textIn(payload, 'session_id') ?? '',
      prompt: textIn(payload, 'turn_id') ?? '',
      part: textIn(payload, 'agent_id') ?? '',
      folders: known(textIn(payload, 'cwd')),
      ...(message === undefined ? {} : { message }),
      ...(transcript === undefined ? {} : { transcript }),
      ...(payload.permission_mode === 'plan' ? { notAnEnd: 'a plan waits for approval' } : {}),
      pending: [],
      ...(again === undefined ? {} : { again }),
    }
  },
  answer: blockOrMessage,
  installation: async () => (await import('./install/codex.ts')).installation,
}
