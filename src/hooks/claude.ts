import { join } from 'node:path'
import { blockOrMessage, capOf, claudeStop } from './claude-like.ts'
import { type Fields, textIn } from './fields.ts'
import { ANSWERED, type Environment, type HookClient, line, type Stop } from './hook-client.ts'
import type { Installation } from './install/installation.ts'

const CAP = 8
/** With this exit code, Claude Code refuses a task's completion and shows standard error. */
const REFUSED = 2
const KINDS: Readonly<Record<string, Stop['of']>> = { Stop: 'turn', SubagentStop: 'helper', TaskCompleted: 'task' }

/** Claude Code: `Stop`, `SubagentStop` and `TaskCompleted`. Any output other than a plain JSON object lets the turn end. */
export const claude: HookClient = {
  name: 'claude',
  cap: (env) => capOf(env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP, CAP),
  forgives: true,
  seconds: 600,
  refusesByCode: true,
  read: (payload, env) => {
    const event = textIn(payload, 'hook_event_name') ?? 'Stop'
    // Cursor also calls the hooks of Claude Code, in addition to its own.
    if (textIn(payload, 'cursor_version') !== undefined) return undefined
    if (event === 'StopFailure') return { ...stopOf(payload, env, 'turn'), notAnEnd: 'the provider reported an error' }
    const of = Object.hasOwn(KINDS, event) ? KINDS[event] : undefined
    return of === undefined ? undefined : stopOf(payload, env, of)
  },
  answer: (reply, stop) => {
    if (reply.action !== 'refuse') return blockOrMessage(reply)
    if (stop?.of === 'task') return { stdout: '', stderr: `${reply.reason}\n`, code: REFUSED }
    if (!stop?.feedback) return blockOrMessage(reply)
    const context = { hookEventName: 'Stop', additionalContext: reply.reason }
    return { stdout: line({ hookSpecificOutput: context }), stderr: '', code: ANSWERED }
  },
  installation,
}

function stopOf(payload: Fields, env: Environment, of: Stop['of']): Stop {
  const stop = claudeStop(payload, env, of, { folder: 'CLAUDE_PROJECT_DIR', prompt: 'prompt_id' })
  // Versions that name the prompt (2.1.196) continue on additional context (2.1.163). A block is shown as "Stop hook error".
  return payload.hook_event_name === 'Stop' && stop.prompt !== '' ? { ...stop, feedback: true } : stop
}

async function installation(): Promise<Installation> {
  const { hookGroup, jsonHooks } = await import('./install/json-hooks.ts')
  return jsonHooks({
    client: 'claude',
    file: ({ scope, dir, home, env }) =>
      scope === 'project'
        ? join(dir, '.claude', 'settings.json')
        : join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
    events: { Stop: hookGroup, SubagentStop: hookGroup, TaskCompleted: hookGroup },
    notes: [
      'Claude Code reads this file when a session starts.',
      "Cursor, Copilot CLI and Grok read this file too, so don't install exitgate for them in the same project.",
    ],
  })
}
