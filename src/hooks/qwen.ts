import { join } from 'node:path'
import { blockOrMessage } from './claude.ts'
import { known, textIn } from './fields.ts'
import type { HookClient } from './hook-client.ts'
import type { Installation } from './install/installation.ts'

/** Qwen Code: `Stop`. Its `stop_hook_active` is always true, so exitgate counts the refusals itself. */
export const qwen: HookClient = {
  name: 'qwen',
  cap: () => undefined,
  forgives: false,
  seconds: 60,
  read: (payload, env) => {
    if ((textIn(payload, 'hook_event_name') ?? 'Stop') !== 'Stop') return undefined
    return {
      of: 'turn',
      session: textIn(payload, 'session_id') ?? '',
      prompt: '',
      part: '',
      folders: known(env.QWEN_PROJECT_DIR, textIn(payload, 'cwd')),
      message: textIn(payload, 'last_assistant_message') ?? '',
      ...(payload.permission_mode === 'plan' ? { notAnEnd: 'a plan waits for approval' } : {}),
      pending: [],
    }
  },
  answer: blockOrMessage,
  installation,
}

async function installation(): Promise<Installation> {
  const { jsonHooks } = await import('./install/json-hooks.ts')
  return jsonHooks({
    client: 'qwen',
    file: ({ scope, dir, home }) => join(scope === 'project' ? dir : home, '.qwen', 'settings.json'),
    // Qwen Code counts in milliseconds.
    events: {
      Stop: ({ line, seconds }) => ({ hooks: [{ type: 'command', command: line, timeout: seconds * 1000 }] }),
    },
    notes: ['Qwen Code reads this file when it starts.'],
  })
}
