import { play } from './play.ts'
import { broken, DONE, failing, modelErrors, refused, truncated } from './rows.ts'

const said = { auth: 'Invalid API key', limit: '(429)', api: 'API Error: 500', overload: 'API Error: 529' }
const reset = 4_102_444_800
const stopOnce = `test -e stopped || { touch stopped; echo '{"decision":"block","reason":"Look at the lid again."}'; }`

play('claude', [
  ...modelErrors((row) => said[row]),
  refused({ final: 'API Error', kinds: ['refusal'] }),
  truncated({ final: 'API Error', kinds: ['truncated'] }),
  broken({ final: 'API Error', kinds: ['api'] }),
  {
    about: 'the cost',
    turns: [{ text: DONE, usage: { input: 1000, output: 100 } }],
    final: DONE,
    claim: true,
    usd: 0.0075,
  },
  {
    about: 'an error that it recovers from',
    turns: [failing(529, 'Overloaded'), { text: DONE }],
    final: DONE,
    claim: true,
  },
  {
    about: 'a subscription limit with its reset time',
    turns: [
      failing(429, 'This would exceed the limit of your account.', {
        headers: {
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': String(reset),
          'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        },
      }),
    ],
    env: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'test-token' },
    final: "You've hit your session limit",
    kinds: ['limit'],
    resetAt: reset * 1000,
  },
  {
    about: 'the turn limit',
    turns: [{ text: DONE, tools: [{ shell: 'true' }] }],
    args: ['--allowedTools', 'Bash', '--max-turns', '2'],
    final: '',
    kinds: ['max-turns'],
  },
  {
    about: 'the budget limit',
    turns: [{ text: DONE, tools: [{ shell: 'true' }], usage: { input: 10_000, output: 10_000 } }],
    args: ['--allowedTools', 'Bash', '--max-budget-usd', '0.01'],
    final: '',
    kinds: ['limit'],
  },
  {
    about: 'a stop refused by a hook: only the last message counts',
    turns: [{ text: DONE }, { text: 'The lid is loose after all.' }],
    args: ['--settings', JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: stopOnce }] }] } })],
    final: 'The lid is loose after all.',
    seen: 'Look at the lid again.',
  },
  {
    about: 'without permission flags, nothing is written',
    turns: [{ tools: [{ write: { path: 'lid.txt', content: 'shut' } }] }, { text: 'It was not allowed.' }],
    args: [],
    final: 'It was not allowed.',
    denials: ['Write(lid.txt)'],
    absent: 'lid.txt',
  },
])
