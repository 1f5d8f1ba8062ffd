import { join } from 'node:path'
import { blockOrMessage, hookGroup } from './claude.ts'
import { flagIn, known, textIn } from './fields.ts'
import type { HookClient } from './hook-client.ts'
import type { Installation } from './install/installation.ts'

/** Factory's Droid: `Stop`. The final message is only in its transcript. */
export const droid: HookClient = {
  name: 'droid',
  cap: () => undefined,
  forgives: false,
  seconds: 60,
  read: (payload, env) => {
    if ((textIn(payload, 'hook_event_name') ?? 'Stop') !== 'Stop') return undefined
    const message = textIn(payload, 'last_assistant_message')
    const transcript = textIn(payload, 'transcript_path')
    const again = flagIn(payload, 'stop_hook_active')
    return {
      of: 'turn',
      session: textIn(payload, 'session_id') ?? '',
      prompt: '',
      part: '',
      folders: known(env.FACTORY_PROJECT_DIR, textIn(payload, 'cwd')),
      ...(message === undefined ? {} : { message }),
      ...(transcript === undefined ? {} : { transcript }),
      ...(payload.permission_mode === 'spec' ? { notAnEnd: 'a plan waits for approval' } : {}),
      pending: [],
      ...(again === undefined ? {} : { again }),
    }
  },
  answer: blockOrMessage,
  installation,
}

async function installation(): Promise<Installation> {
  const { jsonHooks } = await import('./install/json-hooks.ts')
  return jsonHooks({
    client: 'droid',
    file: ({ scope, dir, home }) => join(scope === 'project' ? dir : home, '.factory', 'settings.json'),
    events: { Stop: hookGroup },
    notes: ['Droid reads this file when a session starts.'],
  })
}
