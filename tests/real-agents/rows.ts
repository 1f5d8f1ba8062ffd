import type { AgentError } from '../../src/core/types.ts'
import type { ScriptedError, Turn } from './model/turn.ts'
import type { RunOptions } from './rig.ts'

/** One run of an agent, and what must be read in what it printed. */
export interface Row {
  readonly about: string
  readonly turns: readonly Turn[]
  readonly prompt?: string
  /** Instead of the words that let the agent work. */
  readonly args?: readonly string[]
  readonly env?: RunOptions['env']
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>
  readonly final: string
  readonly claim?: boolean
  readonly kinds?: readonly AgentError['kind'][]
  readonly resetAt?: number
  readonly tokens?: number
  readonly usd?: number
  readonly denials?: readonly string[]
  /** Text that the model must have been sent. */
  readonly seen?: string
  /** Of the workspace afterwards. */
  readonly absent?: string
}

export const DONE = 'The kettle is repaired.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none'
const OPEN = 'Two leaks are left.'

/** Agents retry at once when the server says so, and take their time otherwise. */
const soon = { 'retry-after-ms': '20' }
export const failing = (status: number, message: string, also: Partial<ScriptedError> = {}): Turn => ({
  error: { status, message, headers: soon, ...also },
})

/** What every agent must do. The number of tokens is what the model said it took. */
export const EVERYWHERE: readonly Row[] = [
  { about: 'a finished turn', turns: [{ text: DONE }], final: DONE, claim: true, tokens: 120 },
  {
    about: 'words before a tool and the words of a tool are not the final ones',
    turns: [{ text: DONE, tools: [{ shell: "printf 'EXIT_STATUS: COMPLETE\\n'" }] }, { text: OPEN }],
    final: OPEN,
    tokens: 240,
  },
  {
    about: 'a prompt longer than an argument may be',
    prompt: `${'Repair the kettle. '.repeat(16_000)}And that was the end of it.`,
    turns: [{ text: DONE }],
    final: DONE,
    claim: true,
    seen: 'And that was the end of it.',
  },
  {
    about: 'a prompt that begins like an option',
    prompt: '--version\n-h',
    turns: [{ text: DONE }],
    final: DONE,
    claim: true,
    seen: '--version\\n-h',
  },
]

/** The rows about trouble, with the final words of an agent that says nothing of its own then. */
export const trouble = (final: (row: 'auth' | 'limit' | 'api' | 'overload') => string): readonly Row[] => [
  {
    about: 'a key that is not accepted',
    turns: [failing(401, 'invalid x-api-key')],
    final: final('auth'),
    kinds: ['auth'],
  },
  {
    about: 'a limit',
    turns: [failing(429, 'This would exceed the rate limit of your account.')],
    final: final('limit'),
    kinds: ['limit'],
  },
  { about: 'a broken server', turns: [failing(500, 'Internal server error')], final: final('api'), kinds: ['api'] },
  { about: 'an overloaded server', turns: [failing(529, 'Overloaded')], final: final('overload'), kinds: ['api'] },
]

export const refused = (row: Pick<Row, 'final' | 'kinds'>): Row => ({
  about: 'a refusal',
  turns: [{ text: 'I will not do that.', stop: 'refusal' }],
  ...row,
})

export const truncated = (row: Pick<Row, 'final' | 'kinds'>): Row => ({
  about: 'an answer cut off at the output limit',
  turns: [{ text: 'The kettle is repai', stop: 'length' }],
  ...row,
})

/** The connection breaks behind the claim, and no later one holds either: then nothing was claimed. */
export const broken = (row: Pick<Row, 'final' | 'kinds'>): Row => ({
  about: 'a stream that breaks off',
  turns: [{ text: DONE, cut: true }],
  ...row,
})
