import { join } from 'node:path'
import { type Fields, fieldsOf, flagIn, known, listIn, textIn } from './fields.ts'
import { ANSWERED, type Bytes, type Environment, type HookClient, line, type Reply, type Stop } from './hook-client.ts'
import type { Call, Installation, Where } from './install/installation.ts'

/** What an agent CLI with hooks in the style of Claude Code does differently. */
interface ClaudeLike {
  readonly name: string
  readonly seconds: number
  /** Refusals in a row after which it ends the turn, and the variable that changes the number. */
  readonly cap?: { readonly refusals: number; readonly variable?: string }
  /** It starts its own count again when a tool runs. */
  readonly forgives?: true
  /** The variable with the project's folder. The working folder changes with the agent's `cd`. */
  readonly folder?: string
  /** The field that names the user's prompt. */
  readonly prompt?: string
  /** The permission mode in which a plan waits for approval; `plan` by default. */
  readonly plan?: string
  /** Its sub-agents ask too. */
  readonly helpers?: true
  /** Its message contains every text of the turn. */
  readonly wholeTurn?: true
  /** It takes an output without a decision for a failed hook. */
  readonly onlyDecisions?: true
  readonly installation: () => Promise<Installation>
}

function claudeLike(row: ClaudeLike): HookClient {
  return {
    name: row.name,
    cap: (env) => (row.cap === undefined ? undefined : capOf(env[row.cap.variable ?? ''], row.cap.refusals)),
    forgives: row.forgives === true,
    seconds: row.seconds,
    read: (payload, env) => {
      const event = textIn(payload, 'hook_event_name', 'event') ?? 'Stop'
      if (event !== 'Stop' && (event !== 'SubagentStop' || !row.helpers)) return undefined
      const { message, ...stop } = claudeStop(payload, env, event === 'Stop' ? 'turn' : 'helper', row)
      if (row.wholeTurn && stop.of === 'turn') return { ...stop, soFar: message ?? '' }
      return message === undefined ? stop : { ...stop, message }
    },
    answer: row.onlyDecisions ? blockOrNothing : blockOrMessage,
    installation: row.installation,
  }
}

/** The fields of a stop. Grok spells them in camel case, also for the hooks of Claude Code that it reads. */
export function claudeStop(
  payload: Fields,
  env: Environment,
  of: Stop['of'],
  { folder, prompt, plan = 'plan' }: Pick<ClaudeLike, 'folder' | 'prompt' | 'plan'>,
): Stop {
  const message = textIn(payload, 'last_assistant_message', 'lastAssistantMessage')
  const paths = of === 'helper' ? ['agent_transcript_path'] : ['transcript_path', 'transcriptPath']
  const transcript = of === 'task' ? undefined : textIn(payload, ...paths)
  const again = flagIn(payload, 'stop_hook_active') ?? flagIn(payload, 'stopHookActive')
  const mode = textIn(payload, 'permission_mode', 'permissionMode')
  // Grok also calls the hook when its session ends.
  const closes = /^(?:channel_closed|shutdown)$/.test(textIn(payload, 'reason') ?? '')
  const crons = [...listIn(payload, 'session_crons'), ...listIn(payload, 'sessionCrons')]
  return {
    of,
    session: textIn(payload, 'session_id', 'sessionId') ?? '',
    prompt: prompt === undefined ? '' : (textIn(payload, prompt) ?? ''),
    part: textIn(payload, ...(of === 'task' ? ['task_id', 'task_subject'] : ['agent_id'])) ?? '',
    folders: known(folder === undefined ? undefined : env[folder], textIn(payload, 'cwd', 'working_dir')),
    ...(message === undefined ? {} : { message }),
    ...(transcript === undefined ? {} : { transcript }),
    ...(mode === plan ? { notAnEnd: 'a plan waits for approval' } : {}),
    ...(closes ? { notAnEnd: 'the session ends' } : {}),
    pending: [...tasksOf(payload), ...crons.map(() => 'a scheduled prompt')],
    ...(again === undefined ? {} : { again }),
  }
}

const OVER = /^(?:completed?|failed|killed|stopped|cancelled|done|exited|error)$/i

/** Descriptions of background tasks that are still running. */
function tasksOf(payload: Fields): readonly string[] {
  return [...listIn(payload, 'background_tasks'), ...listIn(payload, 'backgroundTasks')].flatMap((each) => {
    const task = fieldsOf(each)
    if (task === undefined || OVER.test(textIn(task, 'status') ?? '')) return []
    return [textIn(task, 'description', 'command', 'name', 'type', 'id') ?? 'an unnamed task']
  })
}

/** A limit from the environment; 0 means no limit. */
export function capOf(text: string | undefined, otherwise: number): number | undefined {
  if (text === undefined || !/^\d+$/.test(text.trim())) return otherwise
  const cap = Number(text)
  return cap === 0 ? undefined : cap
}

/** The format that most CLIs share. Codex accepts no other fields. */
export function blockOrMessage(reply: Reply): Bytes {
  if (reply.action === 'refuse') return blockOrNothing(reply)
  return {
    stdout: reply.message === undefined ? '' : line({ systemMessage: reply.message }),
    stderr: '',
    code: ANSWERED,
  }
}

function blockOrNothing(reply: Reply): Bytes {
  if (reply.action === 'refuse')
    return { stdout: line({ decision: 'block', reason: reply.reason }), stderr: '', code: ANSWERED }
  return { stdout: '', stderr: reply.message === undefined ? '' : `${reply.message}\n`, code: ANSWERED }
}

interface Place {
  readonly client: string
  readonly folder: string
  /** The variable with the user's own folder. */
  readonly variable?: string
  readonly file: string
  readonly note: string
  readonly group?: (call: Call) => object
}

/** The hook in a JSON file at the same place of the project and of the home folder. */
const inJsonFile =
  ({ client, folder, variable = '', file, note, group }: Place) =>
  async (): Promise<Installation> => {
    const { hookGroup, jsonHooks } = await import('./install/json-hooks.ts')
    const folderIn = ({ scope, dir, home, env }: Where): string =>
      scope === 'project' ? join(dir, folder) : env[variable] || join(home, folder)
    return jsonHooks({
      client,
      file: (where) => join(folderIn(where), file),
      events: { Stop: group ?? hookGroup },
      notes: [note],
    })
  }

/** Codex CLI. An unknown field in the answer would let the turn end. */
export const codex = claudeLike({
  name: 'codex',
  seconds: 600,
  forgives: true,
  prompt: 'turn_id',
  helpers: true,
  installation: async () => (await import('./install/codex.ts')).installation,
})

/** Qwen Code. It counts in milliseconds. Version 0.15 has no limit, and its `stop_hook_active` is always true. */
export const qwen = claudeLike({
  name: 'qwen',
  seconds: 60,
  cap: { refusals: 8, variable: 'QWEN_CODE_STOP_HOOK_BLOCK_CAP' },
  folder: 'QWEN_PROJECT_DIR',
  installation: inJsonFile({
    client: 'qwen',
    folder: '.qwen',
    file: 'settings.json',
    note: 'Qwen Code reads this file when it starts.',
    group: ({ line, seconds }) => ({ hooks: [{ type: 'command', command: line, timeout: seconds * 1000 }] }),
  }),
})

/** Factory's Droid. The final message is only in its transcript. */
export const droid = claudeLike({
  name: 'droid',
  seconds: 60,
  folder: 'FACTORY_PROJECT_DIR',
  plan: 'spec',
  installation: inJsonFile({
    client: 'droid',
    folder: '.factory',
    file: 'settings.json',
    note: 'Droid reads this file when a session starts.',
  }),
})

/** goose. It names the event `event`, and its stop has no flag and no prompt. */
export const goose = claudeLike({
  name: 'goose',
  seconds: 30,
  cap: { refusals: 8, variable: 'GOOSE_STOP_HOOK_BLOCK_CAP' },
  onlyDecisions: true,
  installation: inJsonFile({
    client: 'goose',
    folder: join('.agents', 'plugins', 'exitgate', 'hooks'),
    file: 'hooks.json',
    note: 'goose reads this file when a session starts. Old versions ignore it.',
  }),
})

/** Grok Build. It counts all refusals of a turn. */
export const grok = claudeLike({
  name: 'grok',
  seconds: 600,
  cap: { refusals: 8 },
  prompt: 'promptId',
  installation: inJsonFile({
    client: 'grok',
    folder: '.grok',
    variable: 'GROK_HOME',
    file: join('hooks', 'exitgate.json'),
    note: 'Grok reads this file when a session starts.',
  }),
})

/** Qoder CLI. */
export const qoder = claudeLike({
  name: 'qoder',
  seconds: 600,
  folder: 'QODER_PROJECT_DIR',
  wholeTurn: true,
  installation: inJsonFile({
    client: 'qoder',
    folder: '.qoder',
    file: 'settings.json',
    note: 'Qoder CLI reads this file when a session starts.',
  }),
})
