import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import type { ConfigPatch } from '../../src/core/config.ts'
import { agentFact } from '../../src/loop/preflight/agent.ts'
import { limitsFact } from '../../src/loop/preflight/limits.ts'

const root = mkdtempSync(join(tmpdir(), 'exitgate-preflight-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const bin = join(root, 'package/bin')
mkdirSync(bin, { recursive: true })
for (const name of ['claude', 'codex', 'my-agent']) {
  writeFileSync(join(bin, name), '')
  chmodSync(join(bin, name), 0o755)
}
writeFileSync(join(root, 'package/package.json'), '{"version": "2.1.0", "bin": {}}')
mkdirSync(join(root, 'home/.codex'), { recursive: true })
writeFileSync(join(root, 'home/.codex/auth.json'), '')

type Run = NonNullable<ConfigPatch['run']>
const agent = (run: Run, env: Record<string, string> = {}, platform = 'linux') =>
  agentFact(configure({ run }), {
    ...{ workspace: root, env: { PATH: bin, HOME: join(root, 'home'), ...env }, platform },
    own: ['mine'],
  })

describe('the agent', () => {
  const rows: [name: string, run: Run, env: Record<string, string>, platform: string, expected: object | undefined][] =
    [
      ['none is chosen', {}, {}, 'linux', undefined],
      [
        'a key',
        { agent: 'claude' },
        { ANTHROPIC_API_KEY: 'x' },
        'linux',
        { state: 'good', text: 'claude 2.1.0, login found' },
      ],
      [
        'no login',
        { agent: 'claude' },
        {},
        'linux',
        { state: 'note', text: 'claude 2.1.0, no login found', remedy: expect.stringContaining('ANTHROPIC_API_KEY') },
      ],
      ['the keychain of macOS', { agent: 'claude' }, {}, 'darwin', { state: 'good', text: 'claude 2.1.0' }],
      ['a file', { agent: 'codex' }, {}, 'linux', { state: 'good', text: 'codex 2.1.0, login found' }],
      [
        'a known program as a command',
        { command: ['codex', 'exec'] },
        {},
        'linux',
        { state: 'good', text: 'codex exec, login found' },
      ],
      ['any command', { command: ['my-agent', '--fast'] }, {}, 'linux', { state: 'good', text: 'my-agent --fast' }],
      ['an agent of the project', { agent: 'mine' }, {}, 'linux', { state: 'good', text: 'mine' }],
      [
        'not installed',
        { agent: 'gemini' },
        {},
        'linux',
        { state: 'bad', text: '"gemini" was not found', blocks: true },
      ],
    ]
  it.each(rows)('%s', (_name, run, env, platform, expected) => {
    if (expected === undefined) expect(agent(run, env, platform)).toBeUndefined()
    else expect(agent(run, env, platform)).toMatchObject({ name: 'agent', ...expected })
  })
})

describe('the limits', () => {
  const priced = (model: string) => ({ [model]: { input: 1, output: 2 } })
  const place = { workspace: root, env: { HOME: join(root, 'home') } }
  type Row = [name: string, run: Run, usd: number | undefined, expected: object]
  const listed = (text: string) => ({ state: 'good', text: expect.stringMatching(text) })
  const refused = (text: string, remedy: string) => ({
    ...{ state: 'bad', blocks: true },
    text: `50 iterations, 480 minutes, $3; $3 can't be enforced: ${text}`,
    remedy,
  })
  const PLAIN = { state: 'good', text: '50 iterations, 480 minutes, $3' }
  const rows: Row[] = [
    ['no cost', { agent: 'codex' }, undefined, { state: 'good', text: '50 iterations, 480 minutes' }],
    ['an agent that reports its cost', { agent: 'claude' }, 3, PLAIN],
    [
      'an agent that reports tokens only, and no model anywhere',
      { agent: 'codex' },
      3,
      refused(
        'codex reports no costs, and no setting names its model',
        'Name the model (-- --model NAME), or set run.prices["codex"].',
      ),
    ],
    [
      'a model with a list price',
      { agent: 'codex', agentArgs: ['--model', 'gpt-5.5'] },
      3,
      listed('; estimated at list prices of \\d{4}-\\d\\d-\\d\\d for gpt-5.5$'),
    ],
    [
      'a model with a list price, in a command of your own',
      { command: ['codex', 'exec', '-m', 'gpt-5.5'] },
      3,
      listed(' for gpt-5.5$'),
    ],
    [
      'a model without a price',
      { agent: 'codex', agentArgs: ['-m', 'my-model'] },
      3,
      refused(
        'codex reports no costs, and there is no price for "my-model"',
        'Set run.prices["my-model"], or use --max-iterations and --max-minutes instead.',
      ),
    ],
    [
      'your price of the model',
      { agent: 'codex', agentArgs: ['-m', 'my-model'], prices: priced('my-model') },
      3,
      PLAIN,
    ],
    ['your price of the agent', { agent: 'codex', agentArgs: ['-m', 'my-model'], prices: priced('codex') }, 3, PLAIN],
    [
      'your prices, and no model anywhere',
      { agent: 'codex', prices: priced('my-model') },
      3,
      {
        state: 'note',
        text: expect.stringMatching(/the first iteration shows whether run.prices contains its model$/),
      },
    ],
    [
      'an agent that names its models later, and what it used only at its end',
      { agent: 'gemini' },
      3,
      {
        state: 'note',
        text: expect.stringMatching(
          /; estimated at list prices of [\d-]+; gemini reports what it used only at its end, so \$3 can't count a start that is ended early$/,
        ),
      },
    ],
    [
      'a fallback without a price',
      { agent: 'claude', fallbackAgent: 'codex', fallbackModel: 'my-model' },
      3,
      { state: 'bad', blocks: true, text: expect.stringMatching(/no price for "my-model"$/) },
    ],
    [
      'an unknown command',
      { command: ['my-agent'] },
      3,
      { state: 'note', text: expect.stringMatching(/the first iteration shows whether/) },
    ],
  ]
  it.each(rows)('%s', (_name, run, usd, expected) => {
    const limits = usd === undefined ? {} : { limits: { usd } }
    expect(limitsFact(configure({ run, ...limits }), place)).toMatchObject({ name: 'limits', ...expected })
  })

  const ofTokens: [agent: string | undefined, state: string, doubt: string][] = [
    ['claude', 'good', ''],
    ['codex', 'good', ''],
    [
      'droid',
      'note',
      "; droid reports what it used only at its end, so 9000 tokens can't count a start that is ended early",
    ],
    ['copilot', 'note', "; 9000 tokens can't be enforced, because copilot reports no tokens"],
    [undefined, 'note', '; the first iteration shows whether this agent reports tokens'],
  ]
  it.each(ofTokens)('in tokens, with %s', (agent, state, doubt) => {
    const run = agent === undefined ? { command: ['my-agent'] } : { agent }
    expect(limitsFact(configure({ run, limits: { tokens: 9000 } }), place)).toEqual({
      ...{ name: 'limits', state },
      text: `50 iterations, 480 minutes, 9000 tokens${doubt}`,
    })
  })
})
