import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import type { ConfigPatch } from '../../src/core/config.ts'
import { agentFact, limitsFact } from '../../src/loop/preflight/agent.ts'

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
  const prices = { m: { input: 1, output: 2 } }
  const rows: [name: string, run: Run, usd: number | undefined, state: string, text: RegExp][] = [
    ['no cost', { agent: 'codex' }, undefined, 'good', /^50 iterations, 480 minutes$/],
    ['an agent that reports its cost', { agent: 'claude' }, 3, 'good', /, \$3$/],
    [
      'an agent that reports tokens only',
      { agent: 'codex' },
      3,
      'note',
      /doesn't report costs, so \$3 can't be enforced$/,
    ],
    ['the same with prices', { agent: 'codex', prices }, 3, 'good', /, \$3$/],
    ['an unknown command', { command: ['my-agent'] }, 3, 'note', /the first iteration shows whether/],
  ]
  it.each(rows)('%s', (_name, run, usd, state, text) => {
    const limits = usd === undefined ? {} : { limits: { usd } }
    expect(limitsFact(configure({ run, ...limits }))).toMatchObject({ state, text: expect.stringMatching(text) })
  })
})
