import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { AgentProcesses } from '../../src/loop/agent/agent-processes.ts'
import type { AgentCall } from '../../src/loop/agent/call.ts'
import { endLeftovers, markOf } from '../../src/loop/agent/leftovers.ts'
import { isAlive, startedCommand } from '../../src/system/processes.ts'
import { compile } from '../evidence/compiled.ts'
import { folder } from '../evidence/folders.ts'
import { patience } from '../timing.ts'
import { callOf, env, isGone, onLinux, type Place, pidsIn, place, run } from './agent-calls.ts'

/** Runs an endless script that writes its pid to PIDS, then cancels it. */
async function givenUp(here: Place, script: string, more: Partial<AgentCall> = {}, reason?: string) {
  const controller = new AbortController()
  const running = run(here, script, more, { signal: controller.signal })
  await expect.poll(() => pidsIn(here, 'PIDS').length, { timeout: patience(30_000) }).toBe(1)
  controller.abort(reason)
  return (await running).result
}

describe('an agent that is ended', () => {
  const forEver = 'echo working; echo $$ > PIDS; while :; do sleep 600; done'
  const deaf = `trap '' TERM INT HUP; ${forEver}`

  // Long enough for a busy machine to let it speak.
  const soon = 2_500
  it.each([
    ['deadline', { deadlineMs: soon, graceMs: 100 }, 'it was stopped after 2.5 s (time limit)'],
    [
      'silence',
      { silenceMs: soon, graceMs: 100, deadlineMs: 600_000 },
      'it was stopped after printing nothing for 2.5 s',
    ],
  ])('at the %s', async (ended, limits, problem) => {
    const here = place()
    const { result, transcript } = await run(here, deaf, limits)
    expect(result).toMatchObject({ ended, problem, finished: false, code: null, signal: 'SIGKILL', leftBehind: 0 })
    expect(transcript.final).toBe('working\n')
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  it.each([1, 2])('not as long as it speaks on stream %i', async (stream) => {
    const script = `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do echo $i >&${stream}; sleep 0.2; done`
    const { result } = await run(place(), script, { silenceMs: 3_000 })
    expect(result).toMatchObject({ code: 0, ended: 'exit' })
  })

  it('after the polite time, which it may use', async () => {
    const here = place()
    const script = 'trap "echo cleared up; exit 9" TERM; sleep 600 & echo $! > PIDS; wait'
    // A child that is still a fork of the shell may miss the signal, and is killed after the grace period.
    const result = await givenUp(here, script, { graceMs: 20_000 })
    expect(result).toMatchObject({ ended: 'aborted', code: 9, problem: 'it was interrupted', bytes: 11 })
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  it('by force when it does not use it', async () => {
    const result = await givenUp(place(), deaf, { graceMs: 100 })
    expect(result).toMatchObject({ ended: 'aborted', code: null, signal: 'SIGKILL' })
  })

  it('at once if the user wants that, without a grace period', async () => {
    const here = place()
    const script = 'trap "echo asked > asked; exit 9" TERM; sleep 600 & echo $! > PIDS; wait'
    const result = await givenUp(here, script, { graceMs: 600_000 }, 'now')
    expect(result).toMatchObject({ ended: 'aborted', code: null, signal: 'SIGKILL' })
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
    expect(existsSync(join(here.cwd, 'asked'))).toBe(false)
  })

  it('at once when it is being asked already', async () => {
    const here = place()
    const controller = new AbortController()
    const script = 'trap "echo \\$\\$ > PIDS" TERM; while :; do sleep 0.1; done'
    const running = run(here, script, { deadlineMs: 300, graceMs: 600_000 }, { signal: controller.signal })
    await expect.poll(() => pidsIn(here, 'PIDS').length, { timeout: patience(30_000) }).toBe(1)
    controller.abort('now')
    // The first cause stays the cause.
    expect((await running).result).toMatchObject({ ended: 'deadline', signal: 'SIGKILL' })
  })
})

/** Each writes the pid of a process to PIDS that would outlive every test. */
const escapes: [name: string, script: string][] = [
  ['a child', 'sleep 600 & echo $! > PIDS'],
  ['a child that holds the pipes and talks', '(while :; do echo more; sleep 0.05; done) & echo $! > PIDS'],
  ['a child without streams', 'sleep 600 </dev/null >/dev/null 2>&1 & echo $! > PIDS'],
  ['a session of its own', 'setsid sleep 600 & echo $! > PIDS; sleep 0.1'],
  ['a session of its own, its parent gone', "setsid sh -c 'sleep 600 & echo $! > PIDS'"],
  ['one that ignores the polite signal', "trap '' TERM; sh -c 'sleep 600' & echo $! > PIDS"],
  ['one without environment, in the group', 'env -i sleep 600 & echo $! > PIDS'],
]

describe('nothing outlives an agent', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'the processes are told from the dead by /proc'))

  it.each(escapes)('that exits and leaves: %s', async (_name, script) => {
    const here = place()
    const { result } = await run(here, `echo said; ${script}`)
    expect(result).toMatchObject({ code: 0, ended: 'exit' })
    expect(result.leftBehind).toBeGreaterThan(0)
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })

  it.each([...escapes, ['one without environment, out of the group', 'env -i setsid sleep 600 & echo $! > PIDS']])(
    'that hangs with: %s',
    async (_name, script) => {
      const here = place()
      const result = await givenUp(here, `${script}\nsleep 600`, { graceMs: 200 })
      expect(result).toMatchObject({ ended: 'aborted', leftBehind: 0 })
      expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
    },
  )

  it('even one that was seen only while its parent lived', async () => {
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

  it('and another agent of the same call is left alone', async () => {
    const here = place()
    const controller = new AbortController()
    const other = run(here, 'echo $$ > PIDS; sleep 600', {}, { signal: controller.signal })
    await expect.poll(() => pidsIn(here, 'PIDS').length, { timeout: patience(30_000) }).toBe(1)
    await run(place(), 'sleep 600 &')
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([false])
    controller.abort('now')
    expect((await other).result.ended).toBe('aborted')
  })

  it('and processes of others are left alone', async () => {
    const other = spawn('sleep', ['600'], { env: { EXITGATE_CHECK: 'somebody-else' }, detached: true, stdio: 'ignore' })
    await run(place(), 'sleep 600 &')
    expect(isGone(other.pid!)).toBe(false)
    other.kill('SIGKILL')
  })
})

describe('what is left of an agent whose run died', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'the processes are told from the dead by /proc'))

  const entry = compile(folder(), 'src/loop/agent/run-agent.ts')
  /** An agent with a child that left, whose runner is killed outright. */
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
  const both = 'setsid sleep 600 & echo $! > PIDS; sleep 600'

  it('is found and ended', async () => {
    const here = place()
    const mark = await orphaned(here, both)
    expect([isGone(mark.pid), ...pidsIn(here, 'PIDS').map(isGone)]).toEqual([false, false])
    expect(await endLeftovers(mark)).toBeGreaterThanOrEqual(3)
    expect([isGone(mark.pid), ...pidsIn(here, 'PIDS').map(isGone)]).toEqual([true, true])
    expect(await endLeftovers(mark)).toBe(0)
  })

  it('is found by its id alone', async () => {
    const here = place()
    const { pid, id } = await orphaned(here, both)
    expect(await endLeftovers({ pid: 0, id })).toBeGreaterThanOrEqual(3)
    expect([isGone(pid), ...pidsIn(here, 'PIDS').map(isGone)]).toEqual([true, true])
  })

  it('is found with a leader that is gone, and with those who dropped the id', async () => {
    const here = place()
    const mark = await orphaned(here, 'sleep 600 & env -i sleep 600 & echo $! > PIDS; wait')
    process.kill(mark.pid, 'SIGKILL')
    await expect.poll(() => isGone(mark.pid)).toBe(true)
    expect(await endLeftovers(mark)).toBe(2)
    expect(pidsIn(here, 'PIDS').map(isGone)).toEqual([true])
  })
})

describe('a pid that now belongs to another process', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'the processes are told from the dead by /proc'))

  /** A stranger that leads a group; `leaves` it with a child in it. */
  async function stranger(leaves: boolean) {
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
    ['nobody knows when it began', false, (_pid: number) => undefined],
    ['the machine was booted again', false, (pid: number) => `another-boot:${startedCommand(pid, 'x').since}`],
  ])('%s: nothing is ended', async (_name, leaves, since) => {
    const { leader, alive } = await stranger(leaves)
    const began = since(leader)
    const ended = await endLeftovers({ pid: leader, id: 'gone-for-ever', ...(began !== undefined && { since: began }) })
    const lives = !isGone(alive)
    process.kill(alive, 'SIGKILL')
    expect([ended, lives]).toEqual([0, true])
  })

  it.each([0, 1, -1])('pid %i does not belong to the agent', async (pid) => {
    expect(await endLeftovers({ pid, id: 'gone-for-ever' })).toBe(0)
    expect(isAlive({ pid: process.pid, parent: 0, group: 0, started: startedCommand(process.pid, 'x').since! })).toBe(
      true,
    )
  })
})
