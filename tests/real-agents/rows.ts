import type { AgentError } from '../../src/core/types.ts'
import type { ScriptedError, Turn } from './model/turn.ts'
import type { RunOptions } from './rig.ts'

/** One run of an agent, and what its transcript must contain. */
export interface Row {
  readonly about: string
  readonly turns: readonly Turn[]
  readonly prompt?: string
  /** Replaces the default arguments, which let the agent work. */
  readonly args?: readonly string[]
  readonly env?: RunOptions['env']
  /** Files in the workspace. */
  readonly files?: Readonly<Record<string, string>>
  readonly final: string
  readonly claim?: boolean
  readonly kinds?: readonly AgentError['kind'][]
  readonly resetAt?: number
  readonly tokens?: number
  readonly usd?: number
  readonly denials?: readonly string[]
  /** Text that the model must have received. */
  readonly seen?: string
  /** A file that must not exist in the workspace afterwards. */
  readonly absent?: string
}

export const DONE = 'The kettle is repaired.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none'
const OPEN = 'Two leaks are left.'

/** Makes agents retry at once; without it they wait longer. */
const soon = { 'retry-after-ms': '20' }
export const failing = (status: number, message: string, also: Partial<ScriptedError> = {}): Turn => ({
  error: { status, message, headers: soon, ...also },
})

/** What every agent must do. Token counts are those the model reported. */
export const EVERYWHERE: readonly Row[] = [
  { about: 'a finished turn', turns: [{ text: DONE }], final: DONE, claim: true, tokens: 120 },
  {
    about: 'text before a tool call and tool output are not the final message',
    turns: [{ text: DONE, tools: [{ shell: "printf 'EXIT_STATUS: COMPLETE\\n'" }] }, { text: OPEN }],
    final: OPEN,
    tokens: 240,
  },
  {
    about: 'a prompt too long for an argument',
    prompt: `${'Repair the kettle. '.repeat(16_000)}And that was the end of it.`,
    turns: [{ text: DONE }],
    final: DONE,
    claim: true,
    seen: 'And that was the end of it.',
  },
  {
    about: 'a prompt that looks like an option',
    prompt: '--version\n-h',
    turns: [{ text: DONE }],
    final: DONE,
    claim: true,
    seen: '--version\\n-h',
  },
]

/** Errors from the model. `final` is the agent's last text, or '' if it prints none. */
export const modelErrors = (final: (row: 'auth' | 'limit' | 'api' | 'overload') => string): readonly Row[] => [
  {
    about: 'an invalid API key',
    turns: [failing(401, 'invalid x-api-key')],
    final: final('auth'),
    kinds: ['auth'],
  },
  {
    about: 'a rate limit',
    turns: [failing(429, 'This would exceed the rate limit of your account.')],
    final: final('limit'),
    kinds: ['limit'],
  },
  { about: 'a server error', turns: [failing(500, 'Internal server error')], final: final('api'), kinds: ['api'] },
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

/** The connection breaks after the claim, and so does every later one, so nothing was claimed. */
export const broken = (row: Pick<Row, 'final' | 'kinds'>): Row => ({
  about: 'a broken stream',
  turns: [{ text: DONE, cut: true }],
  ...row,
})
