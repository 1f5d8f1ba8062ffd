import type { ScriptedError, Turn } from './model/turn.ts'
import { DONE, failing } from './rows.ts'
import { SETUPS } from './setups.ts'

/** One thing that goes wrong with an agent. */
export interface ErrorCase {
  readonly name: string
  readonly turns: readonly Turn[]
  /** Arguments instead of the usual ones. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files in the home folder instead of the usual ones. */
  readonly home?: Readonly<Record<string, string>>
  /** The agent is stopped when the model has this many requests, as exitgate does after a time limit. */
  readonly stopAfter?: number
  /** The same when the agent prints this. */
  readonly stopAt?: string
}

/** Later than any test runs. */
export const RESET_AT = 4_102_444_800

const plainText = (status: number, text: string): Turn => ({ error: { status, message: '', text } })
const work: Turn = { text: 'Working on it.', tools: [{ shell: 'echo lid >> lid.txt' }] }

/** Every agent gets these. */
const EVERYWHERE: readonly ErrorCase[] = [
  { name: '401', turns: [failing(401, 'invalid x-api-key')] },
  { name: '402', turns: [failing(402, 'Payment required: add credit to your account.')] },
  { name: '403', turns: [failing(403, 'Your account has no access to this model.')] },
  { name: '404 model', turns: [failing(404, 'The model `test-model-9` does not exist.', { type: 'not_found_error' })] },
  { name: '429', turns: [failing(429, 'This request would exceed the rate limit of your account.')] },
  { name: '500', turns: [failing(500, 'Internal server error')] },
  { name: '502 of a proxy', turns: [plainText(502, '<html><body><h1>502 Bad Gateway</h1></body></html>')] },
  { name: '503', turns: [failing(503, 'The service is temporarily unavailable.')] },
  { name: '529', turns: [failing(529, 'Overloaded')] },
  { name: 'cut stream', turns: [{ text: 'The kettle is', cut: true }] },
  { name: 'cut stream after work', turns: [work, { text: 'The kettle is', cut: true }] },
  { name: 'empty answer', turns: [{}] },
  { name: 'refusal', turns: [{ text: 'I will not do that.', stop: 'refusal' }] },
  { name: 'max tokens', turns: [{ text: 'The kettle is repai', stop: 'length' }] },
  { name: 'hang', turns: [{ silent: true }], stopAfter: 1 },
  { name: 'hang after work', turns: [work, { silent: true }], stopAfter: 2 },
  { name: 'not a model', turns: [plainText(200, '<html><body>Log in to the hotel network</body></html>')] },
]

const limitWith = (message: string, also: Partial<ScriptedError>): readonly ErrorCase[] => [
  { name: '429 with a time', turns: [failing(429, message, also)] },
]

const wrongFlag = (agent: string): ErrorCase => ({
  name: 'wrong flag',
  turns: [{ text: DONE }],
  args: [...(SETUPS[agent]?.args ?? []), '--no-such-flag'],
})
const unreachable = (env: Readonly<Record<string, string>>): ErrorCase => ({
  name: 'unreachable',
  turns: [{ text: DONE }],
  env,
})
const NOWHERE = 'http://127.0.0.1:9'
const elsewhere = (agent: string): ErrorCase => ({
  name: 'unreachable',
  turns: [{ text: DONE }],
  home: SETUPS[agent]?.files(NOWHERE) ?? {},
})

const OWN: Readonly<Record<string, readonly ErrorCase[]>> = {
  claude: [
    ...limitWith('This would exceed the limit of your account.', {
      headers: {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String(RESET_AT),
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      },
    }).map((row) => ({ ...row, env: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'test-token' } })),
    {
      name: 'credit',
      turns: [failing(400, 'Your credit balance is too low to access the Anthropic API.')],
    },
    { name: 'too long', turns: [failing(400, 'prompt is too long: 210000 tokens > 200000 maximum')] },
    { name: 'max turns', turns: [work], args: ['--allowedTools', 'Bash', '--max-turns', '2'] },
    {
      name: 'budget',
      turns: [{ ...work, usage: { input: 10_000, output: 10_000 } }],
      args: ['--allowedTools', 'Bash', '--max-budget-usd', '0.01'],
    },
    { name: 'missing login', turns: [{ text: DONE }], env: { ANTHROPIC_API_KEY: '' } },
    { name: 'root', turns: [{ text: DONE }], args: ['--dangerously-skip-permissions'] },
    unreachable({ ANTHROPIC_BASE_URL: NOWHERE }),
  ],
  codex: [
    ...limitWith("You've hit your usage limit.", {
      type: 'usage_limit_reached',
      body: {
        error: { type: 'usage_limit_reached', message: "You've hit your usage limit.", resets_at: RESET_AT },
      },
    }),
    {
      name: 'credit',
      turns: [
        failing(429, 'You exceeded your current quota, please check your plan and billing details.', {
          body: {
            error: {
              message: 'You exceeded your current quota, please check your plan and billing details.',
              type: 'insufficient_quota',
              param: null,
              code: 'insufficient_quota',
            },
          },
        }),
      ],
    },
    { name: 'missing login', turns: [{ text: DONE }], env: { OPENAI_API_KEY: '' } },
    { name: 'broken settings', turns: [{ text: DONE }], home: { '.codex/config.toml': 'model = [\n' } },
    // It waits for the network forever.
    { ...elsewhere('codex'), stopAt: 'Reconnecting' },
  ],
  gemini: [
    ...limitWith('You exceeded your current quota. Please retry in 33.5s.', {
      body: {
        error: {
          code: 429,
          message: 'You exceeded your current quota. Please retry in 3315s.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3315s' }],
        },
      },
    }),
    { name: 'missing login', turns: [{ text: DONE }], env: { GEMINI_API_KEY: '' } },
    {
      name: 'max turns',
      turns: [work],
      home: {
        '.gemini/settings.json': (SETUPS.gemini?.files('')['.gemini/settings.json'] ?? '{}').replace(
          /}$/,
          ',"model":{"maxSessionTurns":1}}',
        ),
      },
    },
    unreachable({ GOOGLE_GEMINI_BASE_URL: NOWHERE }),
  ],
  opencode: [
    ...limitWith('Rate limit reached for requests.', { headers: { 'retry-after': '3600' } }),
    { name: 'missing login', turns: [{ text: DONE }], args: ['--model', 'anthropic/claude-sonnet-4-5'] },
    { name: 'wrong model', turns: [{ text: DONE }], args: ['--model', 'loop/no-such-model'] },
    elsewhere('opencode'),
  ],
  pi: [
    ...limitWith('Rate limit reached for requests. Please try again in 1h2m3s.', {}),
    {
      name: 'missing login',
      turns: [{ text: DONE }],
      args: ['--provider', 'anthropic', '--model', 'claude-sonnet-4-5'],
    },
    elsewhere('pi'),
  ],
}

/** opencode repeats its request forever, or waits in silence for the time that the provider names. */
const STOPPED: Readonly<Record<string, readonly string[]>> = { opencode: ['not a model', '429 with a time'] }

/** The agents whose errors are recorded. Of the others, only what they don't retry for minutes. */
export const RECORDED = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'qwen', 'copilot', 'droid']
const SOON: readonly string[] = ['401', '402', '404 model', 'max tokens', 'hang', 'hang after work', 'wrong flag']

/** droid asks the model to continue an answer that is too long, without end. */
const FOREVER: Readonly<Record<string, readonly string[]>> = { droid: ['max tokens'] }

export const errorCases = (agent: string): readonly ErrorCase[] =>
  [...EVERYWHERE, ...(OWN[agent] ?? []), wrongFlag(agent)]
    .filter(({ name }) => agent in OWN || (SOON.includes(name) && !(FOREVER[agent] ?? []).includes(name)))
    .map((row) => (STOPPED[agent]?.includes(row.name) ? { ...row, stopAfter: 1 } : row))
