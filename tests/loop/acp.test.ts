import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { read as signalsOf } from '../../src/core/signals/read.ts'
import type { AcpTask } from '../../src/loop/agent/acp.ts'
import { runAcp } from '../../src/loop/agent/acp.ts'
import type { AgentCall, AgentMark } from '../../src/loop/agent/call.ts'
import { isGone } from '../is-gone.ts'
import { callOf, type Place, place } from './agent-calls.ts'

const agent = join(import.meta.dirname, 'fixtures/acp-agent.mjs')
const claim = 'The kettle is repaired.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none'

interface Options {
  readonly task?: Partial<AcpTask>
  readonly call?: Partial<AgentCall>
  readonly here?: Place
  /** Cancels the agent as soon as it prints this word. */
  readonly abortAt?: { readonly word: string; readonly reason: string }
}

async function talk(how: readonly string[], { task, call, here = place(), abortAt }: Options = {}) {
  const abort = new AbortController()
  const marks: AgentMark[] = []
  const { process: ran, transcript } = await runAcp(
    callOf(here, [process.execPath, agent, ...how], { graceMs: 500, ...call }),
    { prompt: 'Repair the kettle.', permissions: 'reject', servers: [], ...task },
    {
      onStart: (mark) => marks.push(mark),
      onText: (text) => {
        if (abortAt !== undefined && text.includes(abortAt.word)) abort.abort(abortAt.reason)
      },
    },
    abort.signal,
  )
  return { result: { ...ran, signals: signalsOf(transcript) }, transcript, pid: marks[0]?.pid ?? 0 }
}

/** The result of an agent that finished its turn, however its process ended. */
const turns: [how: string, final: string, claim: boolean | undefined][] = [
  ['done', claim, true],
  ['tool', 'One leak is left.', undefined],
  ['thinks', 'One leak is left.', undefined],
  ['floods', claim, true],
  ['lingers', '', undefined],
  ['clings', '', undefined],
  ['stumbles', '', undefined],
  // An answer before the prompt counts as a claim only.
  ['forges', claim, true],
]
it.each(turns)('an agent that finishes its turn: %s', async (how, final, claimed) => {
  const { result, transcript, pid } = await talk([how])
  expect(result).toMatchObject({ format: 'acp', code: 0, ended: 'exit', finished: true, errors: [], leftBehind: 0 })
  expect(result.problem).toBeUndefined()
  expect(result.signal).toBeUndefined()
  expect(transcript.final).toBe(final)
  expect(result.signals.claim).toBe(claimed)
  expect(isGone(pid)).toBe(true)
})

it('reports the session, the usage and the exit signal', async () => {
  const { result } = await talk(['spent'])
  expect(result).toMatchObject({ session: 's-kettle-1', usage: { tokens: 100, usd: 0.25 } })
  const { transcript } = await talk(['signals'])
  expect(transcript.toolSignals).toEqual([{ status: 'complete', reason: 'repaired' }])
})

it('passes a prompt of any length, and the MCP servers', async () => {
  const { transcript } = await talk(['echoes'], { task: { prompt: `${'--kettle\n'.repeat(200_000)}lid.` } })
  expect(transcript.final).toBe('1800004 lid.')
  const server = { name: 'exitgate', command: 'node', args: ['mcp'], env: [{ name: 'A', value: 'b' }] }
  const { transcript: other } = await talk(['servers'], { task: { servers: [server] } })
  expect(JSON.parse(other.final)).toEqual([server])
})

const stops: [reason: string, kind: string | undefined, finished: boolean][] = [
  ['end_turn', undefined, true],
  ['max_tokens', 'truncated', true],
  ['max_turn_requests', 'max-turns', true],
  ['refusal', 'refusal', true],
  ['cancelled', undefined, false],
]
it.each(stops)('reads the stop reason %s', async (reason, kind, finished) => {
  const { result } = await talk(['stops', reason])
  expect(result.errors[0]?.kind).toBe(kind)
  expect(result.finished).toBe(finished)
})

const errors: [error: object, kind: string][] = [
  [{ code: 429, message: 'Resource exhausted' }, 'limit'],
  [{ code: 500, message: 'Internal error' }, 'api'],
  [{ code: 401, message: 'no' }, 'auth'],
  [{ code: -32603, message: 'Internal error', data: { details: 'fetch failed' } }, 'api'],
]
it.each(errors)('classifies the error %j', async (error, kind) => {
  const { result } = await talk(['refuses', JSON.stringify(error)])
  expect(result).toMatchObject({ errors: [{ kind }], code: 0, finished: true })
})

it('reports an auth error if the user has to log in first', async () => {
  const { result } = await talk(['login'])
  expect(result.errors).toEqual([expect.objectContaining({ kind: 'auth', message: 'Authentication required' })])
})

describe('an agent that does not finish its turn', () => {
  it('because it dies after its claim', async () => {
    const { result } = await talk(['dies'])
    expect(result).toMatchObject({ code: 7, ended: 'exit', problem: 'it exited with code 7', finished: false })
  })

  it('because it prints nothing', async () => {
    const { result, pid } = await talk(['silent'], { call: { silenceMs: 1000 } })
    expect(result).toMatchObject({ ended: 'silence', finished: false })
    expect(isGone(pid)).toBe(true)
  })

  const cancelled: [how: string, reason: string, reaction: string][] = [
    ['works', 'enough', 'stops when it gets the request'],
    ['deaf', 'enough', 'ignores the request'],
    ['works', 'now', 'is killed without a request'],
  ]
  it.each(cancelled)('because we cancel it: %s, with reason "%s", %s', async (how, reason) => {
    const { result, pid } = await talk([how], { abortAt: { word: 'working', reason } })
    expect(result).toMatchObject({ ended: 'aborted', finished: false, problem: 'it was interrupted' })
    expect(result.signals.claim).toBeUndefined()
    expect(isGone(pid)).toBe(true)
  })
})

describe('a session to continue', () => {
  it('is resumed, and its replayed past does not count', async () => {
    const { result, transcript } = await talk(['loads'], { task: { session: 's-old-1' } })
    expect(result).toMatchObject({ session: 's-old-1', finished: true })
    expect(transcript).toMatchObject({ final: 'One leak is left.', earlier: [] })
  })

  it.each(['forgets', 'done'])('is replaced by a new one if the agent can’t load it: %s', async (how) => {
    const { result } = await talk([how], { task: { session: 's-old-1' } })
    expect(result).toMatchObject({ session: 's-kettle-1', finished: true })
  })
})

describe('permission requests', () => {
  const edit = (path?: string) => ({ title: `edit ${path}`, kind: 'edit', ...(path && { locations: [{ path }] }) })
  const run = { title: 'npm publish', kind: 'execute', rawInput: { command: 'npm publish\n--force' } }
  const toolCalls = (here: Place) => [
    edit('src/lid.ts'),
    edit(join(here.cwd, 'spout.ts')),
    edit('../outside.ts'),
    edit('/etc/passwd'),
    edit('link/outside.ts'),
    edit(),
    run,
    { ...run, kind: 'delete' },
  ]
  const rows: [permissions: AcpTask['permissions'], answers: string, denied: number][] = [
    ['reject', 'no no no no no no no no', 8],
    ['allow-edits', 'yes yes no no no no no no', 6],
    ['allow-all', 'yes yes yes yes yes yes yes yes', 0],
  ]
  it.each(rows)('are answered as configured: %s', async (permissions, answers, denied) => {
    const here = place()
    mkdirSync(join(here.dir, 'elsewhere'))
    symlinkSync(join(here.dir, 'elsewhere'), join(here.cwd, 'link'))
    const { transcript } = await talk(['asks', JSON.stringify(toolCalls(here))], { here, task: { permissions } })
    expect(transcript.final).toBe(answers)
    expect(transcript.denials).toHaveLength(denied)
    if (denied > 0) expect(transcript.denials).toContain('execute(npm publish)')
  })

  it('may leave out what an earlier update said', async () => {
    const tools = [edit('src/lid.ts'), run].map((tool, at) => ({ ...tool, toolCallId: `t${at}` }))
    const task = { permissions: 'allow-edits' } as const
    const { transcript } = await talk(['describes', JSON.stringify(tools)], { task })
    expect(transcript).toMatchObject({ final: 'yes no', denials: ['execute(npm publish)'] })
  })

  it('for files and terminals are not supported', async () => {
    const { transcript } = await talk(['reaches'], { task: { permissions: 'allow-all' } })
    expect(transcript.final).toBe('-32601 -32601 -32601 -32601')
  })
})
