import { answerStop } from '../../hooks/answer-stop.ts'
import { type Fields, fieldsOf } from '../../hooks/fields.ts'
import type { HookClient } from '../../hooks/hook-client.ts'
import { HOOK_CLIENTS } from '../../hooks/index.ts'
import type { Io } from '../io.ts'
import { parse, subcommandOf, wholeNumber } from '../parse.ts'
import { readStdin } from '../read-stdin.ts'

/** The options of `hook AGENT`, which the agent's CLI calls. */
const ANSWER_OPTIONS = {
  timeout: { type: 'string' },
  'max-refusals': { type: 'string' },
  'state-dir': { type: 'string' },
} as const

/** The options of `hook install`, `uninstall` and `status`, which the user calls. */
const SETUP_OPTIONS = {
  user: { type: 'boolean' },
  project: { type: 'boolean' },
  timeout: { type: 'string' },
  dir: { type: 'string' },
  json: { type: 'boolean' },
} as const

export const OPTIONS = { ...ANSWER_OPTIONS, ...SETUP_OPTIONS } as const

/** No agent sends more than this at the end of a turn. */
const MOST_BYTES = 64 * 1024 * 1024
const SETUP = ['install', 'uninstall', 'status']

/** The agent's CLI calls `exitgate hook AGENT` when the agent wants to stop. The user calls `hook install` and the others. */
export async function run(args: readonly string[], io: Io, input: () => string = standardInput): Promise<number> {
  if (args.some((arg) => SETUP.includes(arg))) {
    const { values, positionals } = parse('hook', args, SETUP_OPTIONS, 2)
    const [verb, name] = positionals
    const { setUp } = await import('../hook-setup.ts')
    return setUp(
      verb === 'status' && name === undefined ? HOOK_CLIENTS : [hostNamed(name, verb)],
      { ...values, verb },
      io,
    )
  }
  const { values, positionals } = parse('hook', args, ANSWER_OPTIONS, 1)
  const host = hostNamed(positionals[0])
  const seconds = wholeNumber('--timeout', values.timeout, 1) ?? host.seconds
  const most = wholeNumber('--max-refusals', values['max-refusals'], 1)
  const { env, cwd, home, platform } = io
  const world = {
    env,
    cwd,
    home,
    platform,
    now: () => io.now(),
    started: io.now() - (io.pid === undefined ? 0 : process.uptime() * 1000),
    age: () => process.uptime() * 1000,
    ...(values['state-dir'] === undefined ? {} : { stateDir: values['state-dir'] }),
  }
  let bytes: ReturnType<HookClient['answer']>
  try {
    const request = { client: host, payload: payloadOf(input), world, seconds, ...(most === undefined ? {} : { most }) }
    const { reply, stop } = await answerStop(request)
    bytes = host.answer(reply, stop)
  } catch (error) {
    // Without a valid answer, the agent would stop silently.
    const why = error instanceof Error ? error.message : String(error)
    bytes = host.answer({ action: 'pass', message: `exitgate: nothing was verified: ${why}` })
  }
  if (bytes.stdout !== '') io.stdout.write(bytes.stdout)
  if (bytes.stderr !== '') io.stderr.write(bytes.stderr)
  return bytes.code
}

function hostNamed(name: string | undefined, verb?: string): HookClient {
  const names = HOOK_CLIENTS.map((host) => host.name)
  const known =
    verb === undefined ? subcommandOf('hook', name, [...SETUP, ...names]) : subcommandOf(`hook ${verb}`, name, names)
  return HOOK_CLIENTS[names.indexOf(known)]!
}

const standardInput = (): string => readStdin(MOST_BYTES, isComplete)

function isComplete(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return true
  } catch {
    return false
  }
}

/** What the agent's CLI sent, or why it can't be read. Some begin with a byte order mark. */
function payloadOf(input: () => string): Fields | string {
  const text = input()
  if (text.trim() === '') return 'the agent sent nothing; this command is for the agent to call'
  if (text.length > MOST_BYTES) return `the agent sent more than ${MOST_BYTES} bytes`
  try {
    return fieldsOf(JSON.parse(text.replace(/^\uFEFF/, ''))) ?? 'the agent sent no JSON object'
  } catch {
    return 'the agent sent something other than JSON'
  }
}
