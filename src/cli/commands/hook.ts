import { answerStop } from '../../hooks/answer-stop.ts'
import { type Fields, fieldsOf } from '../../hooks/fields.ts'
import type { HookClient } from '../../hooks/hook-client.ts'
import { HOOK_CLIENTS } from '../../hooks/index.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { oneOf, parse, wholeNumber } from '../parse.ts'
import { readStdin } from '../read-stdin.ts'

/** The options of `hook HOST`, which a host calls. */
const ANSWER_OPTIONS = {
  timeout: { type: 'string' },
  'max-refusals': { type: 'string' },
  'state-dir': { type: 'string' },
} as const

/** The options of `hook install`, `uninstall` and `status`, which a person calls. */
const SETUP_OPTIONS = {
  user: { type: 'boolean' },
  project: { type: 'boolean' },
  timeout: { type: 'string' },
  dir: { type: 'string' },
  json: { type: 'boolean' },
} as const

export const OPTIONS = { ...ANSWER_OPTIONS, ...SETUP_OPTIONS } as const

/** No turn has a longer end than this. */
const MOST_BYTES = 64 * 1024 * 1024
const SETUP = ['install', 'uninstall', 'status']

/** `exitgate hook HOST`: a host asks whether its agent may stop. `hook install HOST` and the like are for people. */
export async function run(args: readonly string[], io: Io, input: () => string = standardInput): Promise<number> {
  if (SETUP.includes(args[0] ?? '')) {
    const { values, positionals } = parse('hook', args, SETUP_OPTIONS, 2)
    const [verb, name] = positionals
    const { setUp } = await import('../hook-setup.ts')
    return setUp(verb === 'status' && name === undefined ? HOOK_CLIENTS : [hostNamed(name)], { ...values, verb }, io)
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
    age: () => process.uptime() * 1000,
    ...(values['state-dir'] === undefined ? {} : { stateDir: values['state-dir'] }),
  }
  let bytes: ReturnType<HookClient['answer']>
  try {
    const asked = { client: host, payload: payloadOf(input), world, seconds, ...(most === undefined ? {} : { most }) }
    const { reply, stop } = await answerStop(asked)
    bytes = host.answer(reply, stop)
  } catch (error) {
    // A host that gets no proper answer lets the agent stop without a word; so it gets one.
    const why = error instanceof Error ? error.message : String(error)
    bytes = host.answer({ action: 'pass', message: `exitgate: nothing was verified: ${why}` })
  }
  if (bytes.stdout !== '') io.stdout.write(bytes.stdout)
  if (bytes.stderr !== '') io.stderr.write(bytes.stderr)
  return bytes.code
}

function hostNamed(name: string | undefined): HookClient {
  const names = HOOK_CLIENTS.map((host) => host.name)
  if (name === undefined)
    throw new InputError(`exitgate hook needs one of ${names.join(', ')}; see exitgate hook --help`)
  return HOOK_CLIENTS[names.indexOf(oneOf('exitgate hook', name, names))]!
}

const standardInput = (): string => readStdin(MOST_BYTES, isWhole)

function isWhole(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return true
  } catch {
    return false
  }
}

/** What the host sent, or in a sentence why it cannot be read. Some hosts begin with a byte order mark. */
function payloadOf(input: () => string): Fields | string {
  const text = input()
  if (text.trim() === '') return 'the host sent nothing; exitgate hook is called by the host itself'
  if (text.length > MOST_BYTES) return `the host sent more than ${MOST_BYTES} bytes`
  try {
    return fieldsOf(JSON.parse(text.replace(/^\uFEFF/, ''))) ?? 'the host sent no JSON object'
  } catch {
    return 'the host sent something that is not JSON'
  }
}
