import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { limitOf } from '../../src/loop/limits/provider.ts'
import { goldenResult, resultOf } from './agent-result.ts'

const now = Date.parse('2029-12-31T12:00:00Z')
const utc = () => 0

function summary(result: Parameters<typeof limitOf>[0]): string {
  const found = limitOf(result, now, utc)
  if (found === undefined) return 'nothing'
  return found.until === undefined
    ? found.kind
    : `${found.kind} until ${new Date(found.until).toISOString().slice(0, 19)}`
}

describe('recorded streams', () => {
  const rows: [file: string, code: number | null, found: string][] = [
    ['claude-usage-limit.jsonl', 1, 'limit until 2030-01-01T00:00:00'],
    ['claude-usage-limit-by-host.jsonl', 0, 'limit until 2029-12-31T15:00:00'],
    // The model wrote this text, and nothing failed.
    ['claude-usage-limit-old.jsonl', 0, 'nothing'],
    ['claude-usage-limit-old.jsonl', 1, 'limit until 2030-01-01T00:00:00'],
    ['claude-limit-got-over.jsonl', 0, 'nothing'],
    ['claude-limit-allowed.jsonl', 0, 'nothing'],
    ['claude-retry-recovers.jsonl', 0, 'nothing'],
    ['claude-retry-cut.jsonl', null, 'overload'],
    ['claude-server-error.jsonl', 1, 'overload'],
    ['claude-auth.jsonl', 1, 'auth'],
    ['claude-credit.jsonl', 1, 'auth'],
    // The user's own budget for one start is not a limit of the provider.
    ['claude-budget.jsonl', 1, 'nothing'],
    ['claude-prompt-too-long.jsonl', 1, 'nothing'],
    ['claude-refusal.jsonl', 1, 'nothing'],
    ['claude-truncated.jsonl', 1, 'nothing'],
    ['claude-done.jsonl', 0, 'nothing'],
    ['claude-tool-output-claims.jsonl', 0, 'nothing'],
    ['codex-usage-limit.jsonl', 1, 'limit until 2030-01-01T08:28:00'],
    ['codex-auth.jsonl', 1, 'auth'],
    ['codex-done.jsonl', 0, 'nothing'],
    ['codex-reconnects.jsonl', 0, 'nothing'],
    ['gemini-quota.jsonl', 173, 'limit'],
    ['gemini-document-error.jsonl', 173, 'limit'],
    ['gemini-max-turns.jsonl', 53, 'nothing'],
    ['gemini-done.jsonl', 0, 'nothing'],
    ['opencode-limit.jsonl', 1, 'limit until 2030-01-01T00:00:30'],
    ['opencode-limit-in-body.jsonl', 1, 'limit until 2030-01-01T01:30:00'],
    ['opencode-unavailable.jsonl', 1, 'overload until 2030-01-01T00:00:02'],
    ['opencode-server-error.jsonl', 1, 'overload'],
    ['opencode-auth.jsonl', 1, 'auth'],
    ['opencode-done.jsonl', 0, 'nothing'],
    // pi always exits with 0.
    ['pi-limit.jsonl', 0, 'limit'],
    ['pi-error.jsonl', 0, 'overload'],
    ['pi-retry-recovers.jsonl', 0, 'nothing'],
    ['text-usage-limit.txt', 1, 'limit until 2030-01-01T00:00:00'],
    // A pipe hides the exit code, and the agent printed nothing else.
    ['text-usage-limit.txt', 0, 'limit until 2030-01-01T00:00:00'],
    ['text-mentions-limit.txt', 1, 'nothing'],
  ]
  it.each(rows)('%s with exit code %s: %s', (file, code, found) => {
    expect(summary(goldenResult(file, { code }))).toBe(found)
  })

  it.each(['aborted', 'not-started'] as const)('an agent that was %s hit no limit', (ended) => {
    expect(summary(goldenResult('claude-usage-limit.jsonl', { code: null, ended }))).toBe('nothing')
  })

  it.each(['deadline', 'silence'] as const)(
    'an agent that retried until the %s means an overloaded provider',
    (ended) => {
      expect(summary(goldenResult('claude-retry-cut.jsonl', { code: null, ended }))).toBe('overload')
    },
  )
})

describe('error messages of agent CLIs', () => {
  const codex = (message: string) =>
    `{"type":"thread.started","thread_id":"t"}\n${JSON.stringify({ type: 'turn.failed', error: { message } })}\n`
  const gemini = (message: string) =>
    JSON.stringify({
      type: 'result',
      timestamp: '2029-12-31T12:00:00Z',
      status: 'error',
      error: { type: 'unknown', message },
      stats: {},
    })
  const pi = (errorMessage: string) =>
    JSON.stringify({
      type: 'message_end',
      message: { role: 'assistant', content: [], stopReason: 'error', errorMessage },
    })
  const rows: [format: string, printed: string, found: string][] = [
    [
      'codex',
      codex(
        'You’ve hit your usage limit. Visit https://example.com to buy more credits or try again in 2 hours 13 minutes.',
      ),
      'limit until 2029-12-31T14:13:00',
    ],
    ['codex', codex('Quota exceeded. Check your plan and billing details.'), 'auth'],
    ['codex', codex('exceeded retry limit, last status: 429 Too Many Requests, request id: 7f'), 'limit'],
    ['codex', codex('exceeded retry limit, last status: 503 Service Unavailable'), 'overload'],
    ['codex', codex('We’re currently experiencing high demand, which may cause temporary errors.'), 'overload'],
    ['codex', codex('stream disconnected before completion: boom'), 'overload'],
    ['codex', codex("Codex ran out of room in the model's context window."), 'nothing'],
    ['codex', codex('unexpected status 400 Bad Request: no such tool'), 'nothing'],
    [
      'gemini',
      gemini('[API Error: Resource has been exhausted (e.g. check quota).]\nPlease wait and try again later.'),
      'limit',
    ],
    [
      'gemini',
      gemini(
        '[API Error: {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 37.5s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}]}}]',
      ),
      'limit until 2029-12-31T12:00:37',
    ],
    [
      'gemini',
      gemini(
        '[API Error: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]',
      ),
      'overload',
    ],
    ['gemini', gemini('[API Error: {"error":{"code":500,"message":"internal","status":"INTERNAL"}}]'), 'overload'],
    [
      'gemini',
      gemini('[API Error: {"error":{"code":400,"message":"bad request","status":"INVALID_ARGUMENT"}}]'),
      'nothing',
    ],
    [
      'pi',
      pi('You have hit your ChatGPT usage limit (plus plan). Try again in ~37 min.'),
      'limit until 2029-12-31T12:37:00',
    ],
    ['pi', pi('429 rate_limit_error: slow down'), 'limit'],
    ['pi', pi('529 Overloaded'), 'overload'],
    ['pi', pi('402 Payment Required'), 'auth'],
    ['pi', pi('Connection error.'), 'overload'],
    ['pi', pi('fetch failed'), 'overload'],
    ['pi', pi('the model does not exist'), 'nothing'],
  ]
  it.each(rows)('%s: %s', (format, printed, found) => {
    expect(summary(resultOf(printed, format, { code: format === 'pi' ? 0 : 1 }))).toBe(found)
  })

  const errors: [stderr: string, code: number, found: string][] = [
    [
      'reading config\nERROR: You’ve hit your usage limit. Try again at 8:28 PM.\n',
      1,
      'limit until 2029-12-31T20:28:00',
    ],
    [
      'ERROR: You’ve hit your usage limit. Try again at 8:28 PM.\nTo resume, run: agent resume 7\n',
      1,
      'limit until 2029-12-31T20:28:00',
    ],
    ['ERROR: You’ve hit your usage limit. Try again at 8:28 PM.\n', 0, 'nothing'],
    ['[API Error: Resource has been exhausted (e.g. check quota).]\n', 173, 'limit'],
    ['ERROR: unexpected status 401 Unauthorized: no key\n', 1, 'auth'],
    ['ERROR: exceeded retry limit, last status: 503 Service Unavailable\n', 1, 'overload'],
    [
      "✗ Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 58 hours. Please review our Terms of Service. (Request ID: 7F)\n",
      1,
      'limit until 2030-01-02T22:00:00',
    ],
    [
      "You've hit your global rate limit. Please upgrade your plan or wait 6 seconds for your limit to reset.\n",
      1,
      'limit until 2029-12-31T12:00:06',
    ],
    ['✘ Quota exceeded. Upgrade to increase your limit: https://example.com/plans\n', 1, 'limit'],
    ['✗ 402 You have no quota (Request ID: 7F)\n', 1, 'auth'],
    ['Execution failed: 402 You have no quota\n', 1, 'auth'],
    [
      "Error: You've hit your usage limit\n  Get Cursor Pro for more Agent usage, unlimited Tab, and more.\n  fallbackModel: \n  spendLimitHit: false\n  spendLimits: [50,100,200]\n",
      1,
      'limit',
    ],
    ['AssertionError: expected status 429 to be 200\n', 1, 'nothing'],
    ['Error: rate limit test failed\n', 1, 'nothing'],
    ['segmentation fault\n', 139, 'nothing'],
  ]
  it.each(errors)('on standard error: %j with exit code %i', (stderr, code, found) => {
    expect(summary(resultOf('working\n', 'text', { code, stderr }))).toBe(found)
  })
})

describe('a limit that an agent prints as text', () => {
  const limits: [stdout: string, found: string][] = [
    [
      "✗ Sorry, you've hit a rate limit that restricts the number of model requests. Please try again in 2 hours.\n",
      'limit until 2029-12-31T14:00:00',
    ],
    [
      "working\nError: You've hit your usage limit\n  Get Cursor Pro for more Agent usage.\n  spendLimits: [50,100,200]\n",
      'limit',
    ],
    ["I fixed the text:\n  You've hit your usage limit\n", 'nothing'],
    ['The tests pass now.\n  402 You have no quota was the old text\n', 'nothing'],
  ]
  it.each(limits)('%j', (stdout, found) => {
    expect(summary(resultOf(stdout, 'text', { code: 1 }))).toBe(found)
  })
})

describe('the command that wraps the agent does not matter', () => {
  const limit = "You've hit your limit · resets 3pm (UTC)"
  const until = 'limit until 2029-12-31T15:00:00'
  const npm = 'npm error Lifecycle script `agent` failed with error:\nnpm error code 1\nnpm error path /work\n'
  const rows: [name: string, stdout: string, stderr: string, code: number, found: string][] = [
    ['claude -p', `${limit}\n`, '', 1, until],
    ['claude -p | tee log', `${limit}\n`, '', 0, until],
    ['claude -p || true', `\u001b[31m${limit}\u001b[0m\n`, '', 0, until],
    ['bash -xc "claude -p"', `${limit}\n`, '+ claude -p\n', 1, until],
    ['make agent', `claude -p < PROMPT.md\n${limit}\n`, 'make: *** [Makefile:2: agent] Error 1\n', 2, until],
    ['make agent 2>&1', `claude -p < PROMPT.md\n${limit}\nmake: *** [Makefile:2: agent] Error 1\n`, '', 2, until],
    [
      'a make rule that ignores errors',
      `cat PROMPT.md | claude -p\n${limit}\nmake: [agent] Error 1 (ignored)\n`,
      '',
      0,
      until,
    ],
    ['npm run agent', `\n> agent@1.0.0 agent\n> claude -p\n\n${limit}\n`, npm, 1, until],
    ['npm run agent, on standard error', '\n> agent@1.0.0 agent\n> codex exec\n', `ERROR: ${limit}\n${npm}`, 1, until],
    ['yarn agent', `$ claude -p\n${limit}\n`, 'error Command failed with exit code 1.\n', 1, until],
    ['just agent', `${limit}\n`, 'claude -p\nerror: Recipe `agent` failed on line 2 with exit code 1\n', 1, until],
    ['docker compose up', `agent-1  | ${limit}\nagent-1 exited with code 1\n`, '', 0, until],
    ['docker run', `${limit}\n`, '', 1, until],
    ['time claude -p', `${limit}\n`, '\nreal\t0m1.2s\nuser\t0m0.5s\nsys\t0m0.1s\n', 1, until],
    ['an overload', 'API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}\n', '', 0, 'overload'],
    ['no network, claude', 'API Error: Connection error.\n', '', 0, 'overload'],
    ['no network, node', '', 'Error: getaddrinfo ENOTFOUND api.anthropic.com\n', 1, 'overload'],
    ['no network, curl', '', 'curl: (6) Could not resolve host: api.openai.com\n', 6, 'overload'],
    ['no network, python', '', 'anthropic.APIConnectionError: Connection error.\n', 1, 'overload'],
    ['the network of the project', '', 'Error: getaddrinfo ENOTFOUND db.example.com\n', 1, 'nothing'],
    ['a test about a provider', 'not ok 1 - ENOTFOUND api.anthropic.com\n', '', 1, 'nothing'],
    ['work before the line', `I added the parser.\n${limit}\n`, '', 0, 'nothing'],
    ['work after the line', `${limit}\nThe message above is now tested.\n`, '', 1, 'nothing'],
  ]
  it.each(rows)('%s', (_name, stdout, stderr, code, found) => {
    expect(summary(resultOf(stdout, 'auto', { code, stderr }))).toBe(found)
  })

  it('events inside a wrapper are read as events', () => {
    const events = readFileSync(join(import.meta.dirname, '../golden/agents/claude-usage-limit.jsonl'), 'utf8')
    for (const code of [0, 1])
      expect(
        summary(
          resultOf(`make: Entering directory\nclaude -p --output-format stream-json\n${events}`, 'auto', { code }),
        ),
      ).toBe('limit until 2030-01-01T00:00:00')
  })
})

it('gemini reports a missing key only by its exit code', () => {
  const stderr = 'Please choose how to log in.\n'
  expect(limitOf(resultOf('', 'gemini', { code: 41, stderr }), now)).toEqual({ kind: 'auth', message: stderr.trim() })
  expect(summary(resultOf('', 'text', { code: 41, stderr }))).toBe('nothing')
})

describe('an agent that writes about limits', () => {
  const texts = [
    'I added retry logic for 429 Too Many Requests and 529 Overloaded responses.',
    'The rate limit is now 100 requests per minute; it resets at 3pm.',
    'The message "You\'ve hit your usage limit" is now shown to the user.',
    'Usage limit reached: this string is what the API returns, and we parse the reset time from it.',
    'Claude AI usage limit reached|1893456000',
    "You've hit your limit · resets 3pm (UTC)",
    'API Error: 529 Overloaded',
    'All tests pass. Error handling covers "quota exceeded" and "try again in 5 minutes".',
    'Not logged in users are redirected to /login.',
    'Invalid API key handling: done.',
    'ERROR: You’ve hit your usage limit. Try again at 8:28 AM.',
    '{"error":{"type":"usage_limit_reached","resets_in_seconds":5400}}',
    'Credit balance is too low for the test account, so I mocked billing.',
    '5-hour limit reached is the name of the test.',
    'stream disconnected before completion: that was the bug.',
    'Server overloaded: I raised the connection pool.',
    'The overloaded method now takes a limit.',
    'rate_limit_event with resetsAt 1893456000 is parsed.',
  ]
  const claude = (text: string) =>
    [
      { type: 'system', subtype: 'init', session_id: 's' },
      {
        type: 'assistant',
        message: { id: 'm', role: 'assistant', model: 'big-model', content: [{ type: 'text', text }] },
      },
      { type: 'result', subtype: 'success', is_error: false, result: text, session_id: 's' },
    ]
      .map((event) => JSON.stringify(event))
      .join('\n')
  const codex = (text: string) =>
    [
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.completed', item: { id: 'i', type: 'agent_message', text } },
      { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
    ]
      .map((event) => JSON.stringify(event))
      .join('\n')
  const ways: [name: string, format: string, printed: (text: string) => string][] = [
    ['plain text', 'text', (text) => `Working.\n${text}\n`],
    ['plain text instead of events', 'claude', (text) => `Working.\n${text}\n`],
    ['claude', 'claude', claude],
    ['codex', 'codex', codex],
    ['detected format', 'auto', (text) => `${text}\n`],
  ]
  const wholeLine = /^(?:Claude AI|You've hit your limit|API Error|ERROR|stream)/
  const rows = ways.flatMap(([name, format, printed]) =>
    texts
      .map((text) => ({ name, format, text, printed }))
      .filter((row) => format !== 'auto' || !wholeLine.test(row.text)),
  )
  it.each(rows)('and succeeds hit none: $name, $text', ({ format, text, printed }) => {
    expect(summary(resultOf(printed(text), format, { code: 0, stderr: `${text}\n` }))).toBe('nothing')
  })

  // If the process failed, only a full line in the form of an agent CLI counts.
  const mentions = texts.filter((text) => !wholeLine.test(text))
  it.each(mentions)('and fails for another reason hit none: %s', (text) => {
    expect(summary(resultOf(`Working.\n${text}\n`, 'text', { code: 1, stderr: `${text}\n` }))).toBe('nothing')
  })

  it('and prints control characters is shown without them', () => {
    const found = limitOf(resultOf('API Error: 529 \u001b]0;owned\u0007\u202eOverloaded', 'text', { code: 1 }), now)
    expect(found?.message).toBe('API Error: 529 ]0;owned Overloaded')
  })
})
