import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, it } from 'vitest'
import { type Address, environmentOf } from '../../src/inbox/attempt.ts'
import { openInbox, readInbox } from '../../src/inbox/inbox.ts'
import { takeSessionSignals } from '../../src/inbox/session-inbox.ts'
import { DONE, project, RED } from '../cli/run-cli.ts'
import { program } from '../e2e/program.ts'

const cli = await program()
const base = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-mcp-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))
let count = 0

/** A folder to work in, with a state folder next to it. */
function place() {
  const root = join(base, String(count++))
  mkdirSync(join(root, 'work'), { recursive: true })
  return { dir: join(root, 'work'), state: join(root, 'state') }
}

interface Started {
  readonly dir: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly options?: ClientOptions
}

async function connected<T>({ dir, env = {}, args = [], options = {} }: Started, use: (client: Client) => Promise<T>) {
  const client = new Client({ name: 'test', version: '1' }, options)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', ...args],
      cwd: dir,
      env: { ...env },
    }),
  )
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

const call = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
  const { content, isError } = await client.callTool({ name, arguments: input })
  return { text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''), isError: isError === true }
}

/** An attempt with its inbox, and the environment of its agent. */
function attempt(state: string): { address: Address; env: Record<string, string> } {
  const address = openInbox(state, { run: 'r-1', iteration: 2 })
  return { address, env: { ...environmentOf(address), HOME: base } }
}

describe('exitgate mcp and the official client', () => {
  const versions: [string, ClientOptions, string][] = [
    ['with the handshake', {}, '2025-11-25'],
    ['with discovery', { versionNegotiation: { mode: 'auto' } }, '2026-07-28'],
  ]
  it.each(versions)('agree %s, and the two tools are there', async (_name, options, version) => {
    const { dir, state } = place()
    await connected({ dir, env: { EXITGATE_STATE_DIR: state }, options }, async (client) => {
      expect(client.getNegotiatedProtocolVersion()).toBe(version)
      expect(client.getServerVersion()?.name).toBe('exitgate')
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['exit_signal', 'gate_status'])
      expect(tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['status'] })
      expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: true })
      // The newer protocol has no ping.
      if (version < '2026') await client.ping()
    })
  })

  it('deliver a claim to the inbox of the run, with run and nonce from the environment', async () => {
    const { dir, state } = place()
    const { address, env } = attempt(state)
    const signal = { status: 'complete', reason: 'all of it', remaining_work: 'none', confidence: 'high' }
    await connected({ dir, env }, async (client) => {
      expect(await call(client, 'exit_signal', signal)).toEqual({
        text: 'Recorded. exitgate checks the project when your turn ends.',
        isError: false,
      })
    })
    expect(readInbox(address.inbox, address)).toEqual({ signals: [signal], refused: [] })
  })

  it('do the same with arguments, for CLIs that do not pass on their environment', async () => {
    const { dir, state } = place()
    const { run, iteration, nonce, inbox } = attempt(state).address
    const args = ['--run', run, '--iteration', String(iteration), '--nonce', nonce, '--inbox', inbox]
    await connected({ dir, args }, (client) => call(client, 'exit_signal', { status: 'blocked', reason: 'no key' }))
    expect(readInbox(inbox, { run, iteration, nonce }).signals).toEqual([{ status: 'blocked', reason: 'no key' }])
  })

  const wrong: [string, Record<string, unknown>, RegExp][] = [
    ['another word', { status: 'done' }, /status/],
    ['no status', { reason: 'x' }, /status/],
    ['a number for a reason', { status: 'complete', reason: 7 }, /reason/],
  ]
  it.each(wrong)('answer %s with an error, and nothing is recorded', async (_name, input, said) => {
    const { dir, state } = place()
    const { address, env } = attempt(state)
    await connected({ dir, env }, async (client) => {
      const answer = await call(client, 'exit_signal', input)
      expect(answer).toEqual({ text: expect.stringMatching(said), isError: true })
    })
    expect(readInbox(address.inbox, address).signals).toEqual([])
  })

  it('name evidence in the call, and ignore it', async () => {
    const { dir, state } = place()
    const { address, env } = attempt(state)
    await connected({ dir, env }, async (client) => {
      const { text } = await call(client, 'exit_signal', { status: 'complete', tests: 'pass', answer: 'yes' })
      expect(text).toMatch(/its field "tests" is ignored: exitgate gathers evidence itself/)
      expect(text).toMatch(/its field "answer" is ignored/)
    })
    expect(readInbox(address.inbox, address).signals).toEqual([{ status: 'complete' }])
  })

  it('report that the attempt they belong to is over', async () => {
    const { dir, state } = place()
    const { env } = attempt(state)
    const next = attempt(state).address
    await connected({ dir, env }, async (client) => {
      const answer = await call(client, 'exit_signal', { status: 'complete' })
      expect(answer.isError).toBe(true)
      expect(answer.text).toMatch(/^The signal was not recorded: the inbox .* is gone/)
    })
    expect(readInbox(next.inbox, next)).toEqual({ signals: [], refused: [] })
  })

  it('keep a claim for the next stop if there is no run, and forget the one of the previous session', async () => {
    const { dir, state } = place()
    const env = { EXITGATE_STATE_DIR: state }
    await connected({ dir, env }, (client) => call(client, 'exit_signal', { status: 'complete', reason: 'first' }))
    await connected({ dir, env }, (client) => call(client, 'exit_signal', { status: 'complete', reason: 'second' }))
    const [folder = ''] = readdirSync(state)
    expect(takeSessionSignals(join(state, folder), Date.now()).signals).toEqual([
      { status: 'complete', reason: 'second' },
    ])
  })

  it('leave no file if nothing was claimed', async () => {
    const { dir, state } = place()
    await connected({ dir, env: { EXITGATE_STATE_DIR: state } }, (client) => call(client, 'gate_status'))
    expect(existsSync(state)).toBe(false)
  })
})

describe('gate_status', () => {
  it('lists what is missing, and never a completion token', async () => {
    const { run, dir, state } = project({ 'out.txt': DONE, 'ev.json': RED })
    const status = () => connected({ dir, env: { EXITGATE_STATE_DIR: state } }, (client) => call(client, 'gate_status'))
    expect((await status()).text).toMatch(/^No decision yet/)
    await run(['check', '--transcript', 'out.txt', '--evidence', 'ev.json'])
    const { text, isError } = await status()
    expect(isError).toBe(false)
    expect(text).toMatch(/1 iteration so far\.\nLast decision: .*\nStill missing:\n- tests: /)
    expect(text).not.toMatch(/COMPLETE|EXIT_/)
  })
})

describe('bytes that are not the protocol', () => {
  it('do not end the server, and the end of input does', async () => {
    const { dir, state } = place()
    const child = spawn(process.execPath, [cli, 'mcp'], {
      cwd: dir,
      env: { EXITGATE_STATE_DIR: state },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    const lines = createInterface({ input: child.stdout })
    child.stdin.write('not json\n{"jsonrpc":"2.0"}\n[]\n')
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params })}\n`)
    let answer: { id?: number; result?: { protocolVersion?: string } } = {}
    for await (const line of lines) {
      answer = JSON.parse(line)
      if (answer.id === 7) break
    }
    expect(answer.result?.protocolVersion).toBe('2024-11-05')
    child.stdin.end()
    expect(await exited).toEqual([0, null])
  })

  it('an incomplete environment is rejected in one sentence', async () => {
    const { run } = project()
    const ran = await run(['mcp'], { EXITGATE_RUN: 'r' })
    expect([ran.code, ran.stdout]).toEqual([64, ''])
    expect(ran.stderr).toMatch(/^error: EXITGATE_RUN is set, but not .*; pass the agent's whole environment on\n$/)
  })
})
