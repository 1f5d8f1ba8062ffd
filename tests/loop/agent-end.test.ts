import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { AgentProcesses } from '../../src/loop/agent/agent-processes.ts'
import type { AgentCall } from '../../src/loop/agent/call.ts'
import { agentMembers, endLeftovers, markOf } from '../../src/loop/agent/leftovers.ts'
import { failureOf } from '../../src/loop/limits/failure.ts'
import { isAlive, startedCommand } from '../../src/system/processes.ts'
import { compile } from '../evidence/compiled.ts'
import { folder } from '../evidence/folders.ts'
import { isGone } from '../is-gone.ts'
import { patience } from '../timing.ts'
import { callOf, env, onLinux, type Place, pidsIn, place, program, run } from './agent-calls.ts'

/** Runs an endless script that writes its pid to PIDS, then cancels it. */
async function runAndCancel(here: Place, script: string, more: Partial<AgentCall> = {}, reason?: string) {
  const controller = new AbortController()
  const running = run(here, script, more, { signal: controller.signal })
  await expect.poll(() => pidsIn(here, 'PIDS').length, { timeout: patience(30_000) }).toBe(1)
  controller.abort(reason)
  return (await running).result
}

const prints = (lines: string): string => `printf '%s\\n' '${lines}'`

describe('stops an agent', () => {
  const endless = 'echo working; echo $$ > PIDS; while :; do sleep 600; done'
  const ignoresSignals = `trap '' TERM INT HUP; ${endless}`

  // These rows wait for a limit, so they wait together.
  // Long enough to print something on a busy machine.
  const soon = patience(2_500)
  const seconds = `${Math.round(soon / 100) / 10} s`
  it.concurrent.each([
    ['deadline', { deadlineMs: soon, graceMs: 100 }, `it was stopped after ${seconds} (time limit)`],
    [
      'silence',
      { silenceMs: soon, graceMs: 100, deadlineMs: 600_000 },
      `it was stopped after printing nothing for ${seconds}`,
    ],
  ])('at the %s', async (ended, limits, problem) => {
    const here = place()
    const { result, transcript } = await run(here, ignoresSignals, limits)
    expect(result).toMatchObject({ ended, problem, finished: false, code: null, signal: 'SIGKILL', leftBehind: 0 })
    expect(transcript.final).toBe('working\n')
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  /** A program that prints only at its end, after twice the allowed silence. On a busy machine it may take a while to start. */
  const silenceMs = patience(1_000)
  const limits = { silenceMs, graceMs: 100, deadlineMs: 600_000 }
  function sleeper(name: string, script: string, more: Partial<AgentCall> = {}) {
    const here = place()
    program(here, `work/${name}`, `#!/bin/sh\nsleep ${(2 * silenceMs) / 1000}; echo finished\n`)
    return run(here, script, { ...limits, ...more })
  }
  it.concurrent.each([
    ['claude -p', 'claude', './claude -p', 'exit'],
    ['claude -p after the banner of a script', 'claude', 'echo Iteration 1; ./claude -p', 'exit'],
    ['claude -p that has printed events', 'claude', `echo '{"type":"system"}'; ./claude -p`, 'silence'],
    ['claude -p that streams', 'claude', './claude -p --output-format stream-json', 'silence'],
    ['another program', 'agent', './agent -p', 'silence'],
    ['another program that has printed nothing, if only that counts', 'agent', './agent -p', 'exit', true],
    ['another program that has printed something', 'agent', 'echo Iteration 1; ./agent -p', 'silence', true],
  ] as const)('at its silence only if it prints while it works: %s', async (...row) => {
    const [, name, script, ended, onceHeard = false] = row
    const { result } = await sleeper(name, script, { onceHeard })
    expect([result.ended, result.code]).toEqual(ended === 'exit' ? ['exit', 0] : ['silence', null])
  })

  it.concurrent('at its silence although it prints at its end, if it is started with events', async () => {
    expect((await sleeper('claude', './claude -p', { format: 'claude' })).result.ended).toBe('silence')
  })

  it.concurrent.each([1, 2])('but not while it prints to stream %i', async (stream) => {
    const silenceMs = patience(3_000)
    const pause = silenceMs / 15_000
    const script = `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do echo $i >&${stream}; sleep ${pause}; done`
    const { result } = await run(place(), script, { silenceMs })
    expect(result).toMatchObject({ code: 0, ended: 'exit' })
  })

  const retries = readFileSync(join(import.meta.dirname, '../golden/agents/claude-retry-cut.jsonl'), 'utf8').trim()
  const answer = '{"type":"assistant","message":{"content":[{"type":"text","text":"Working."}]}}'
  it.concurrent.each([
    ['only retries its provider', 'claude', retries, 600, 'deadline', 'because it only retried the provider'],
    ['only retries its provider', 'auto', retries, 600, 'deadline', 'because it only retried the provider'],
    ['works again after retries', 'claude', `${retries}\n${answer}`, 3, 'exit', undefined],
  ])('at the longest wait, if it %s (%s)', async (_name, format, printed, sleeps, ended, problem) => {
    const script = `${prints(printed)}; sleep ${sleeps}`
    const limits = { retryMs: 1_500, graceMs: 100, deadlineMs: 600_000, format }
    const { result } = await run(place(), script, limits)
    expect(result.ended).toBe(ended)
    expect(result.problem?.replace(/^.*, /, '')).toBe(problem)
    expect(result.errors.map(({ kind }) => kind)).toEqual(ended === 'exit' ? [] : ['api'])
  })

  it('with SIGTERM first, so that it can clean up', async () => {
    const here = place()
    const script = 'trap "echo cleared up; exit 9" TERM; sleep 600 & echo $! > PIDS; wait'
    // A child that is still a fork of the shell may miss the signal, and is killed after the grace period.
    const result = await runAndCancel(here, script, { graceMs: 20_000 })
    expect(result).toMatchObject({ ended: 'aborted', code: 9, problem: 'it was interrupted', bytes: 11 })
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  it('with SIGKILL if it ignores SIGTERM', async () => {
    const result = await runAndCancel(place(), ignoresSignals, { graceMs: 100 })
    expect(result).toMatchObject({ ended: 'aborted', code: null, signal: 'SIGKILL' })
  })

  it('at once if the user forces it, without a grace period', async () => {
    const here = place()
    const script = 'trap "echo asked > asked; exit 9" TERM; sleep 600 & echo $! > PIDS; wait'
    const result = await runAndCancel(here, script, { graceMs: 600_000 }, 'now')
    expect(result).toMatchObject({ ended: 'aborted', code: null, signal: 'SIGKILL' })
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
    expect(existsSync(join(here.cwd, 'asked'))).toBe(false)
  })

  it('at once if the user forces it during the grace period', async () => {
    const here = place()
    const controller = new AbortController()
    const script = 'trap "echo \\$\\$ > PIDS" TERM; while :; do sleep 0.1; done'
    const running = run(here, script, { deadlineMs: patience(1_000), graceMs: 600_000 }, { signal: controller.signal })
    await expect.poll(() => pidsIn(here, 'PIDS').length, { timeout: patience(30_000) }).toBe(1)
    controller.abort('now')
    // The first reason to stop is the one reported.
    expect((await running).result).toMatchObject({ ended: 'deadline', signal: 'SIGKILL' })
  })
})

/** An agent in the format of Claude Code, which has finished but does not exit. */
const init = '{"type":"system","subtype":"init","session_id":"s1"}'
const says = (text: string) =>
  `{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"${text}"}]}}`
const finished =
  '{"type":"result","subtype":"success","is_error":false,"result":"The kettle is repaired.","session_id":"s1"}'
const stays: [name: string, script: string, running: string][] = [
  ['for a command in the background', 'sleep 611 & echo $! > PIDS; wait', 'sleep 611'],
  ['for a command in its own session', 'setsid sleep 612 & echo $! > PIDS; wait', 'sleep 612'],
  ['for the command of a shell', "sh -c 'sleep 613 & echo $! > PIDS; wait' & wait", 'sleep 613'],
]

describe('an agent that has printed its result and stays', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'needs /proc to see commands'))

  it.concurrent.each(stays)('%s is ended, and its result counts', async (_name, script, running) => {
    const here = place()
    const more = { format: 'claude', graceMs: 300, silenceMs: patience(600_000) }
    // What runs before the first output is part of the agent, such as an MCP server.
    const agent = `sleep 610 & sleep 0.5; ${prints(init)}; sleep 0.5; ${prints(says('Done.'))}; ${prints(finished)}; ${script}`
    const { result, transcript } = await run(here, agent, more)
    expect(result).toMatchObject({ ended: 'exit', code: 0, finished: true, leftRunning: [running] })
    expect(result.problem).toBeUndefined()
    expect(transcript.final).toContain('The kettle is repaired.')
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  it.concurrent.each([
    ['it started nothing', `${prints(finished)}; exec sleep 600`],
    ['another turn follows', `sleep 600 & ${prints(finished)}; ${prints(init)}; wait`],
    ['it has no result yet', 'sleep 600 & wait'],
  ])('but not if %s: then silence counts', async (_name, script) => {
    const more = { format: 'claude', graceMs: 100, silenceMs: patience(2_500) }
    const { result } = await run(place(), `${prints(init)}; sleep 0.5; ${prints(says('Working.'))}; ${script}`, more)
    expect(result).toMatchObject({ ended: 'silence', finished: false })
  })
})

describe('a runaway agent', () => {
  const step = '{"type":"step_finish","sessionID":"s1","part":{"reason":"stop","tokens":{"total":10}}}'
  const text = '{"type":"text","sessionID":"s1","part":{"text":"A summary of the work."}}'
  const tool = '{"type":"tool_use","sessionID":"s1","part":{"tool":"bash","state":{"status":"completed"}}}'
  const steps = (script: string) => `n=0; while [ $n -lt 60 ]; do n=$((n+1)); ${script}; done; exec sleep 600`

  it('is ended after many requests to its model without a tool call', async () => {
    const { result } = await run(place(), steps(`${prints(step)}; ${prints(text)}`), {
      format: 'opencode',
      graceMs: 100,
    })
    expect(result).toMatchObject({ ended: 'runaway', finished: false })
    expect(failureOf(result)).toEqual({
      cause: 'runaway',
      reason: 'the agent was stopped after 50 requests to its model without a tool call',
    })
  })

  it('may use any number of tools', async () => {
    const script = steps(`${prints(step)}; ${prints(tool)}`)
    const { result } = await run(place(), script, { format: 'opencode', graceMs: 100, silenceMs: patience(2_500) })
    expect(result).toMatchObject({ ended: 'silence' })
  })
})

/** Each writes the pid of a process to PIDS that would outlive every test. */
const escapes: [name: string, script: string][] = [
  ['a child', 'sleep 600 & echo $! > PIDS'],
  ['a child that holds the pipes and talks', '(while :; do echo more; sleep 0.05; done) & echo $! > PIDS'],
  ['a child without streams', 'sleep 600 </dev/null >/dev/null 2>&1 & echo $! > PIDS'],
  ['a child in its own session', 'setsid sleep 600 & echo $! > PIDS; sleep 0.1'],
  ['a child in its own session whose parent is gone', "setsid sh -c 'sleep 600 & echo $! > PIDS'"],
  ['a child that ignores SIGTERM', "trap '' TERM; sh -c 'sleep 600' & echo $! > PIDS"],
  ['a child without an environment, in the group', 'env -i sleep 600 & echo $! > PIDS'],
]

describe('no process outlives an agent', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'needs /proc to detect dead processes'))

  it.each(escapes)('that exits and leaves: %s', async (_name, script) => {
    const here = place()
    const { result } = await run(here, `echo said; ${script}`)
    expect(result).toMatchObject({ code: 0, ended: 'exit' })
    expect(result.leftBehind).toBeGreaterThan(0)
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  it.each([
    ...escapes,
    ['a child without an environment, outside the group', 'env -i setsid sleep 600 & echo $! > PIDS'],
  ])('that hangs with: %s', async (_name, script) => {
    const here = place()
    const result = await runAndCancel(here, `${script}\nsleep 600`, { graceMs: 200 })
    expect(result).toMatchObject({ ended: 'aborted', leftBehind: 0 })
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  it('even if it was found only while its parent was alive', async () => {
    const here = place()
    const script = "env -i setsid sh -c 'sleep 600 </dev/null >/dev/null 2>&1 & echo $! > PIDS; wait' & sleep 600"
    const agent = spawn('sh', ['-c', script], { cwd: here.cwd, detached: true, stdio: 'ignore', env })
    await expect.poll(() => pidsIn(here, 'PIDS').length, { timeout: patience(30_000) }).toBe(1)
    const processes = new AgentProcesses(startedCommand(agent.pid!, 'some-id'))
    processes.look()
    process.kill(-agent.pid!, 'SIGKILL')
    await once(agent, 'exit')
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([false])
    expect(await processes.endRest()).toBeGreaterThanOrEqual(2)
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  it('but another agent of the same call keeps running', async () => {
    const here = place()
    const controller = new AbortController()
    const other = run(here, 'echo $$ > PIDS; sleep 600', {}, { signal: controller.signal })
    await expect.poll(() => pidsIn(here, 'PIDS').length, { timeout: patience(30_000) }).toBe(1)
    await run(place(), 'sleep 600 &')
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([false])
    controller.abort('now')
    expect((await other).result.ended).toBe('aborted')
  })

  it('but unrelated processes keep running', async () => {
    const other = spawn('sleep', ['600'], { env: { EXITGATE_CHECK: 'another-run' }, detached: true, stdio: 'ignore' })
    await run(place(), 'sleep 600 &')
    expect(isGone(other.pid!)).toBe(false)
    other.kill('SIGKILL')
  })
})

describe('leftovers of an agent whose run died', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'needs /proc to detect dead processes'))

  const entry = compile(folder(), 'src/loop/agent/run-agent.ts')
  /** Starts an agent with children, then kills its runner with SIGKILL. */
  async function orphaned(here: Place, script: string) {
    const call = callOf(here, ['sh', '-c', script])
    const fixture = join(import.meta.dirname, 'fixtures/agent-runner.mjs')
    const runner = spawn(process.execPath, [fixture, entry, JSON.stringify(call)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const [mark] = (await once(runner, 'message')) as [{ pid: number; id: string; since: string }]
    await expect.poll(() => pidsIn(here, 'PIDS').length, { timeout: patience(30_000) }).toBe(1)
    runner.kill('SIGKILL')
    await once(runner, 'exit')
    return mark
  }
  const both = 'setsid sleep 600 & pid=$!; sleep 600 & echo $pid > PIDS; wait'

  it('are found and stopped', async () => {
    const here = place()
    const mark = await orphaned(here, both)
    expect([isGone(mark.pid), ...pidsIn(here, 'PIDS').map(isGone)]).toEqual([false, false])
    expect(await endLeftovers(mark)).toBeGreaterThanOrEqual(3)
    expect([isGone(mark.pid), ...pidsIn(here, 'PIDS').map(isGone)]).toEqual([true, true])
    expect(await endLeftovers(mark)).toBe(0)
  })

  it('are found by the id alone', async () => {
    const here = place()
    const { pid, id } = await orphaned(here, both)
    expect(await endLeftovers({ pid: 0, id })).toBeGreaterThanOrEqual(3)
    expect([isGone(pid), ...pidsIn(here, 'PIDS').map(isGone)]).toEqual([true, true])
  })

  it('are known to the control socket while the group leader lives, even those without the id and their parents', async () => {
    const here = place()
    const mark = await orphaned(here, '(env -i sleep 600 & echo $! > PIDS); sleep 600')
    const found = agentMembers(mark).map(({ pid }) => pid)
    await endLeftovers(mark)
    expect(found).toEqual(expect.arrayContaining([mark.pid, ...pidsIn(here, 'PIDS')]))
  })

  it('are found if the group leader is gone, even those without the id', async () => {
    const here = place()
    const mark = await orphaned(here, 'sleep 600 & env -i sleep 600 & echo $! > PIDS; wait')
    process.kill(mark.pid, 'SIGKILL')
    await expect.poll(() => isGone(mark.pid)).toBe(true)
    expect(await endLeftovers(mark)).toBe(2)
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })
})

describe('a pid that now belongs to another process', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'needs /proc to detect dead processes'))

  /** An unrelated group leader. With `leaves`, it exits and leaves a child in the group. */
  async function unrelatedLeader(leaves: boolean) {
    const script = leaves ? 'sleep 600 & echo $!' : 'echo $$; exec sleep 600'
    const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env })
    const exit = once(child, 'exit')
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    if (leaves) await exit
    child.stdout.destroy()
    return { leader: child.pid!, alive: Number(said.toString()) }
  }
  const boot = markOf({ pid: 1, id: 'x', since: '1' }).since!.split(':')[0]!

  it.each([
    ['another process leads the group', false, (_pid: number) => `${boot}:1`],
    ['another process led the group and left a child', true, (_pid: number) => `${boot}:1`],
    ['its start time is unknown', false, (_pid: number) => undefined],
    ['the machine was rebooted', false, (pid: number) => `another-boot:${startedCommand(pid, 'x').since}`],
  ])('%s: nothing is stopped', async (_name, leaves, since) => {
    const { leader, alive } = await unrelatedLeader(leaves)
    const began = since(leader)
    const ended = await endLeftovers({ pid: leader, id: 'gone-for-ever', ...(began !== undefined && { since: began }) })
    const lives = !isGone(alive)
    process.kill(alive, 'SIGKILL')
    expect([ended, lives]).toEqual([0, true])
  })

  it.each([0, 1, -1])('pid %i is ignored', async (pid) => {
    expect(await endLeftovers({ pid, id: 'gone-for-ever' })).toBe(0)
    expect(isAlive({ pid: process.pid, parent: 0, group: 0, started: startedCommand(process.pid, 'x').since! })).toBe(
      true,
    )
  })
})
