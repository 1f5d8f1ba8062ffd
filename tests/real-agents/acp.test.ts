import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { read as signalsOf } from '../../src/core/signals/read.ts'
import type { AcpTask } from '../../src/loop/agent/acp.ts'
import { runAcp } from '../../src/loop/agent/acp.ts'
import { patience } from '../timing.ts'
import { ALL_ROWS, missingAgent, SLOW } from './installed.ts'
import type { Turn } from './model/turn.ts'
import { openRig, type Rig } from './rig.ts'
import { DONE, failing } from './rows.ts'

interface Agent {
  readonly name: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** A denied permission ends its turn, so there is no final message. */
  readonly endsWhenDenied: boolean
  /** Whether it can load an earlier session; otherwise a new one starts. */
  readonly loadsSessions: boolean
  /** The end of its input doesn't end it. */
  readonly staysOpen?: true
  /** Its requests are not marked as edits, so `allow-edits` allows none. */
  readonly hidesEdits?: true
  /** Its session ids, if they are short. */
  readonly session?: RegExp
  /** What it prints about an error of the model. */
  readonly error?: string
  /** An error of the model looks like an empty answer. */
  readonly hidesErrors?: true
  readonly countsNoTokens?: true
}

/** The options that make each agent speak the protocol and ask for permission. */
const AGENTS: readonly Agent[] = [
  { name: 'gemini', args: ['--acp', '-m', 'gemini-2.5-pro'], env: {}, endsWhenDenied: false, loadsSessions: false },
  {
    name: 'opencode',
    args: ['acp'],
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: { edit: 'ask', bash: 'ask' } }) },
    endsWhenDenied: true,
    loadsSessions: true,
  },
  // It doesn't exit when its input is closed, and an error of the model is text.
  {
    name: 'goose',
    args: ['acp'],
    env: {},
    endsWhenDenied: false,
    loadsSessions: true,
    staysOpen: true,
    hidesEdits: true,
    session: /^\d{8}_\d+$/,
    error: 'Rate limit',
  },
  // It ends the turn without a word after two minutes of its own retries, and counts tokens only as its context.
  {
    name: 'kimi',
    args: ['acp'],
    env: {},
    endsWhenDenied: false,
    loadsSessions: true,
    hidesEdits: true,
    hidesErrors: true,
    countsNoTokens: true,
  },
]

const write: Turn = { text: DONE, tools: [{ write: { path: 'lid.txt', content: 'shut' } }] }
const left = 'One leak is left.'

interface Row {
  readonly about: string
  readonly turns: readonly Turn[]
  readonly permissions?: AcpTask['permissions']
  readonly final: string
  readonly claim?: boolean
  readonly kinds?: readonly string[]
  /** Whether the file that the model wants to write exists afterwards. */
  readonly written?: boolean
}

const rows: readonly Row[] = [
  { about: 'a finished turn', turns: [{ text: DONE }], final: DONE, claim: true },
  { about: 'an edit that is not allowed', turns: [write, { text: left }], final: left, written: false },
  {
    about: 'an edit that is allowed',
    turns: [write, { text: left }],
    permissions: 'allow-edits',
    final: left,
    written: true,
  },
  {
    about: 'a command where only edits are allowed',
    turns: [{ text: DONE, tools: [{ shell: 'curl -o lid.txt file:///etc/hostname' }] }, { text: left }],
    permissions: 'allow-edits',
    final: left,
    written: false,
  },
  { about: 'a rate limit', turns: [failing(429, 'This would exceed the rate limit.')], final: '', kinds: ['limit'] },
]

/** Runs one iteration with the agent of a rig. */
async function talk(rig: Rig, how: Agent, task: Partial<AcpTask> = {}, signal = new AbortController().signal) {
  const { process: ran, transcript } = await runAcp(
    {
      run: 'r1',
      iteration: 1,
      attempt: 1,
      argv: [rig.program, ...how.args],
      cwd: rig.workspace,
      env: { ...rig.env, ...how.env },
      format: 'acp',
      folder: join(rig.workspace, '../transcripts'),
      graceMs: how.staysOpen === true ? 500 : 10_000,
      keepBytes: 1024 * 1024,
    },
    { prompt: 'Repair the kettle.', permissions: 'reject', servers: [], ...task },
    { onStart: () => {}, onText: () => {} },
    signal,
  )
  return { result: { ...ran, signals: signalsOf(transcript) }, transcript }
}

async function open(name: string, turns: readonly Turn[]): Promise<Rig> {
  const rig = await openRig(name, turns)
  onTestFinished(() => rig.close())
  return rig
}

describe.each(AGENTS)('$name', { timeout: patience(180_000) }, (agent) => {
  const missing = missingAgent(agent.name)

  it.for(rows)('$about', async ({ turns, permissions = 'reject', ...given }, { skip }) => {
    const row = agent.hidesEdits === true && given.written === true ? { ...given, written: false } : given
    skip(missing !== undefined, missing)
    const isSlow = agent.hidesErrors === true && row.kinds !== undefined
    skip(isSlow && !ALL_ROWS, SLOW)
    const rig = await open(agent.name, turns)
    const { result, transcript } = await talk(rig, agent, { permissions })
    const isError = row.kinds !== undefined && agent.error !== undefined
    if (isError) expect(transcript.final).toContain(agent.error)
    else expect(transcript.final, result.stderr).toBe(agent.endsWhenDenied && row.written === false ? '' : row.final)
    expect(result).toMatchObject({ ended: 'exit', code: 0, finished: true, format: 'acp', leftBehind: 0 })
    expect(result.errors.map(({ kind }) => kind)).toEqual(agent.hidesErrors === true ? [] : (row.kinds ?? []))
    expect(result.signals.claim).toBe(row.claim)
    expect(result.session).toMatch(agent.session ?? /^[\w-]{20,}$/)
    expect(existsSync(join(rig.workspace, 'lid.txt'))).toBe(row.written ?? false)
    expect(transcript.denials.length > 0).toBe(row.written === false)
    if (agent.countsNoTokens === true) expect(result.usage.tokens).toBeUndefined()
    else if (row.kinds === undefined) expect(result.usage.tokens).toBeGreaterThan(0)
  })

  it('resumes a session without repeating its earlier output', async ({ skip }) => {
    skip(missing !== undefined, missing)
    const rig = await open(agent.name, [{ text: DONE }, { text: left }])
    const first = await talk(rig, agent)
    const session = first.result.session!
    const { result, transcript } = await talk(rig, agent, { prompt: 'And the toaster?', session })
    expect(result.session === session).toBe(agent.loadsSessions)
    expect(result).toMatchObject({ finished: true, errors: [] })
    expect(transcript).toMatchObject({ final: left, earlier: [] })
    const { raw } = rig.model.requests.at(-1)!
    expect([raw.includes('The kettle is repaired'), raw.includes('And the toaster?')]).toEqual([
      agent.loadsSessions,
      true,
    ])
  })

  it('stops when the run is aborted', async ({ skip }) => {
    skip(missing !== undefined, missing)
    const rig = await open(agent.name, [{ text: DONE, tools: [{ shell: 'true' }] }, { silent: true }])
    const abort = new AbortController()
    rig.model.received(2).then(() => abort.abort('enough'))
    const { result } = await talk(rig, agent, { permissions: 'allow-all' }, abort.signal)
    expect(result).toMatchObject({ ended: 'aborted', finished: false })
    expect(result.signals.claim).toBeUndefined()
  })
})
