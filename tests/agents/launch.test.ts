import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import { FORMATS } from '../../src/agents/reader.ts'

const session = '5f0c1d2e-1111-4a4a-9b9b-00000000c1a0'
const mcp = { command: '/opt/node', args: ['cli.cjs', 'mcp'], env: ['EXITGATE_RUN'] }
const user = ['--model', 'big']

const json = ['--output-format', 'stream-json']
const rows: readonly [agent: string, call: object, args: readonly string[], env?: object][] = [
  ['claude', {}, [...json, '--verbose', '--print']],
  ['claude', { args: user, session }, [...user, '--resume', session, ...json, '--verbose', '--print']],
  [
    'claude',
    { args: user, mcp },
    [
      '--mcp-config',
      '{"mcpServers":{"exitgate":{"command":"/opt/node","args":["cli.cjs","mcp"],"alwaysLoad":true}}}',
      '--allowedTools',
      'mcp__exitgate',
      ...user,
      ...json,
      '--verbose',
      '--print',
    ],
  ],
  ['codex', {}, ['exec', '--json', '-']],
  ['codex', { args: user, session }, ['exec', ...user, '--json', 'resume', session, '-']],
  [
    'codex',
    { mcp },
    [
      'exec',
      '-c',
      'mcp_servers.exitgate.command="/opt/node"',
      '-c',
      'mcp_servers.exitgate.args=["cli.cjs","mcp"]',
      '-c',
      'mcp_servers.exitgate.env_vars=["EXITGATE_RUN"]',
      '-c',
      'mcp_servers.exitgate.default_tools_approval_mode="approve"',
      '--json',
      '-',
    ],
  ],
  ['gemini', {}, json],
  ['gemini', { args: user, session }, [...user, ...json, '--resume', session]],
  ['opencode', {}, ['run', '--format', 'json']],
  ['opencode', { args: user, session }, ['run', ...user, '--format', 'json', '--session', session]],
  [
    'opencode',
    { mcp },
    ['run', '--format', 'json'],
    {
      OPENCODE_CONFIG_CONTENT:
        '{"mcp":{"exitgate":{"type":"local","command":["/opt/node","cli.cjs","mcp"],"enabled":true}}}',
    },
  ],
  ['pi', {}, ['--mode', 'json', '--print']],
  ['pi', { args: user, session }, [...user, '--mode', 'json', '--print', '--session', session]],
  ['qwen', { args: user, session }, [...user, ...json, '--resume', session]],
  ['copilot', { args: user, session }, [...user, '--output-format', 'json', `--resume=${session}`]],
  ['droid', { args: user, session }, ['exec', ...user, ...json, '--session-id', session]],
  ['amp', { args: user }, [...user, '--execute', '--stream-json']],
  ['amp', { args: user, session }, ['threads', 'continue', session, ...user, '--execute', '--stream-json']],
  [
    'aider',
    { args: user, session },
    [...user, '--message-file', '/dev/stdin', '--no-pretty', '--no-stream', '--no-check-update'],
  ],
]

/** Agents that get prompt, session and MCP servers over the protocol. */
it.each(['goose', 'kimi', 'cursor', 'kiro'])('%s is an ACP server', (agent) => {
  expect(launch(agent, { args: user, session, mcp })).toEqual({ args: ['acp', ...user], env: {} })
})

function launch(agent: string, call: object) {
  return LAUNCHERS.find(({ name }) => name === agent)!.launch({ prompt: 'Repair the kettle.', args: [], ...call })
}

it.each(rows)('%s with %j', (agent, call, args, env = {}) => {
  expect(launch(agent, call)).toEqual({ args, stdin: 'Repair the kettle.', env })
})

describe.each(LAUNCHERS)('$name', ({ name, format, mcp: takesServers }) => {
  it('prints a supported format', () => expect(FORMATS).toContain(format))

  it('keeps the prompt off the command line', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 20 }), (prompt) => {
        const { args, stdin } = launch(name, { prompt })
        expect(stdin).toBe(format === 'acp' ? undefined : prompt)
        expect(args).toEqual(launch(name, {}).args)
      }),
    )
  })

  it('adds no permissions', () => {
    const words = [...launch(name, {}).args, ...launch(name, { mcp, session }).args].join(' ')
    expect(words).not.toMatch(/danger|skip|bypass|yolo|auto|full-access|Bash|Edit|Write/)
  })

  // Session IDs come from the agent's output, so they are untrusted.
  it.each(['--dangerously-skip-permissions', '-y', '', '../../etc/passwd', 'a b', 'a\nb', 'x'.repeat(200)])(
    'starts a new session instead of resuming %j',
    (odd) => expect(launch(name, { session: odd })).toEqual(launch(name, {})),
  )

  it('passes an MCP server exactly if it declares support', () => {
    const differs = JSON.stringify(launch(name, { mcp })) !== JSON.stringify(launch(name, {}))
    expect(differs).toBe(takesServers && format !== 'acp')
  })
})
