import { join } from 'node:path'
import { type Fields, fieldsOf, flagIn, known, listIn, textIn } from './fields.ts'
import { ANSWERED, type Bytes, type Environment, type HookClient, line, type Reply, type Stop } from './hook-client.ts'
import type { Call, Installation } from './install/installation.ts'

export const hookGroup = ({ line, seconds }: Call): object => ({
  hooks: [{ type: 'command', command: line, timeout: seconds }],
})

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

/** The format that Claude Code and Codex share. Codex accepts no other fields. */
export function blockOrMessage(reply: Reply): Bytes {
  const passed = reply.action === 'pass' && reply.message !== undefined ? line({ systemMessage: reply.message }) : ''
  const stdout = reply.action === 'refuse' ? line({ decision: 'block', reason: reply.reason }) : passed
  return { stdout, stderr: '', code: ANSWERED }
}

/** A limit from the environment; 0 means no limit. */
function capOf(text: string | undefined, otherwise: number): number | undefined {
  if (text === undefined || !/^\d+$/.test(text.trim())) return otherwise
  const cap = Number(text)
  return cap === 0 ? undefined : cap
}

function stopOf(payload: Fields, env: Environment, of: Stop['of']): Stop {
  const message = textIn(payload, 'last_assistant_message')
  const transcript = textIn(payload, ...(of === 'helper' ? ['agent_transcript_path'] : ['transcript_path']))
  const again = flagIn(payload, 'stop_hook_active')
  return {
    of,
    session: textIn(payload, 'session_id') ?? '',
    prompt: textIn(payload, 'prompt_id') ?? '',
    part: textIn(payload, ...(of === 'task' ? ['task_id', 'task_subject'] : ['agent_id'])) ?? '',
    // The working folder changes with the agent's `cd`; the project folder doesn't.
    folders: known(env.CLAUDE_PROJECT_DIR, textIn(payload, 'cwd')),
    ...(message === undefined ? {} : { message }),
    ...(transcript === undefined || of === 'task' ? {} : { transcript }),
    ...(payload.permission_mode === 'plan' ? { notAnEnd: 'a plan waits for approval' } : {}),
    // Versions that name the prompt (2.1.196) continue on additional context (2.1.163). A block is shown as "Stop hook error".
    ...(payload.hook_event_name === 'Stop' && textIn(payload, 'prompt_id') !== undefined ? { feedback: true } : {}),
    pending: [...tasksOf(payload), ...listIn(payload, 'session_crons').map(() => 'a scheduled prompt')],
    ...(again === undefined ? {} : { again }),
  }
}

const OVER = /^(?:completed?|failed|killed|stopped|cancelled|done|exited|error)$/i

/** Descriptions of background tasks that are still running. */
function tasksOf(payload: Fields): readonly string[] {
  return listIn(payload, 'background_tasks').flatMap((each) => {
    const task = fieldsOf(each)
    if (task === undefined || OVER.test(textIn(task, 'status') ?? '')) return []
    return [textIn(task, 'description', 'command', 'name', 'type', 'id') ?? 'an unnamed task']
  })
}

async function installation(): Promise<Installation> {
  const { jsonHooks } = await import('./install/json-hooks.ts')
  return jsonHooks({
    client: 'claude',
    file: ({ scope, dir, home, env }) =>
      scope === 'project'
        ? join(dir, '.claude', 'settings.json')
        : join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
    events: { Stop: hookGroup, SubagentStop: hookGroup, TaskCompleted: hookGroup },
    notes: [
      'Claude Code reads this file when a session starts.',
      "Cursor and Copilot CLI read this file too, so don't install exitgate for them in the same project.",
    ],
  })
}
