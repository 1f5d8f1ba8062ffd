import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf, known, textIn } from './fields.ts'
import { ANSWERED, type Environment, type HookClient, line } from './hook-client.ts'
import type { Installation } from './install/installation.ts'

/** Kimi Code takes at most this timeout. */
const MAX_SECONDS = 600

/**
 * Kimi Code: `Stop`. It asks once per prompt: after a refusal, the next stop passes without a question. The final message is only in
 * its event log, which is written a moment later.
 */
export const kimi: HookClient = {
  name: 'kimi',
  cap: () => 2,
  forgives: false,
  seconds: 30,
  read: (payload, env) => {
    if ((textIn(payload, 'hook_event_name') ?? 'Stop') !== 'Stop') return undefined
    const session = textIn(payload, 'session_id') ?? ''
    // A later version may send the message, as other CLIs do.
    const message = textIn(payload, 'last_assistant_message')
    const transcript = message === undefined ? logOf(session, env) : undefined
    return {
      of: 'turn',
      session,
      prompt: '',
      part: '',
      folders: known(textIn(payload, 'cwd')),
      ...(transcript === undefined ? { message: message ?? '' } : { transcript, isComplete }),
      pending: [],
      again: false,
    }
  },
  answer: (reply) => {
    if (reply.action === 'pass') return { stdout: '', stderr: reply.message ?? '', code: ANSWERED }
    const answer = { permissionDecision: 'deny', permissionDecisionReason: reply.reason }
    return { stdout: line({ hookSpecificOutput: answer }), stderr: '', code: ANSWERED }
  },
  installation,
}

const homeOf = (env: Environment, home = env.HOME ?? ''): string => env.KIMI_CODE_HOME || join(home, '.kimi-code')

/** The event log of a session, which is in a folder that is named after the workspace. */
function logOf(session: string, env: Environment): string | undefined {
  if (!/^[\w-]+$/.test(session)) return undefined
  const folder = join(homeOf(env), 'sessions')
  try {
    const found = readdirSync(folder).find((name) => readdirSync(join(folder, name)).includes(session))
    return found === undefined ? undefined : join(folder, found, session, 'agents', 'main', 'wire.jsonl')
  } catch {
    return undefined
  }
}

/** Whether the log ends with a step that called no tool. */
function isComplete(lines: readonly string[]): boolean {
  const last = lines.findLast(
    (each) => each.includes('"context.append_loop_event"') && /"step\.(?:begin|end)"/.test(each),
  )
  if (last === undefined) return false
  try {
    const event = fieldsOf(fieldsOf(JSON.parse(last))?.event) ?? {}
    return event.type === 'step.end' && event.finishReason !== 'tool_use'
  } catch {
    return false
  }
}

async function installation(): Promise<Installation> {
  const { tomlHooks, tomlText } = await import('./install/toml-hooks.ts')
  const toml = tomlHooks({
    client: 'kimi',
    lines: ({ line: command, seconds }) => [
      '[[hooks]]',
      'event = "Stop"',
      `command = ${tomlText(command)}`,
      `timeout = ${Math.min(seconds, MAX_SECONDS)}`,
    ],
    takesTables: ({ keys, single }) =>
      !keys.some(({ table, name }) => table === '' && /^hooks(?:\.|$)/.test(name)) &&
      !single.some((name) => /^hooks(?:\.|$)/.test(name)),
  })
  return {
    files: ({ scope, home, env }) => (scope === 'project' ? [] : [join(homeOf(env, home), 'config.toml')]),
    ...toml,
    notes: ['Kimi Code reads this file when it starts. It asks once per prompt, so only one stop can be refused.'],
  }
}
