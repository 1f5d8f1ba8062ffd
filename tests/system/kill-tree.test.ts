import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { killTree, killTreeNow, terminateTree } from '../../src/system/kill-tree.ts'
import {
  isAlive,
  MARKER,
  membersOf,
  type Process,
  type StartedCommand,
  startedCommand,
} from '../../src/system/processes.ts'
import { folder } from '../evidence/folders.ts'
import { patience } from '../timing.ts'

const dir = folder()
const ACTED = join(dir, 'acted')
/** More rounds search longer for a race. The rounds with slow signals find it reliably. */
const ROUNDS = Number(process.env.EXITGATE_KILL_ROUNDS ?? 3)

/** Each one touches `acted` as soon as one of its processes dies before another. */
const waiting: readonly (readonly [name: string, script: string, processes: number])[] = [
  ['a shell that waits for a child', 'sleep 600; touch acted', 2],
  ['three nested shells', `sh -c "sh -c 'sleep 600; touch acted'; touch acted"; touch acted`, 4],
  ['its own session', "setsid sh -c 'sleep 600; touch acted' & wait; touch acted", 3],
  ['its own session, with its parent gone', 'setsid sh -c \'sh -c "sleep 600; touch acted" & wait; touch acted\' &', 3],
  ['one that ignores SIGHUP', "nohup sh -c 'sleep 600; touch acted' >/dev/null & wait; touch acted", 3],
  ['its own groups, as with job control', "set -m; nohup sh -c 'sleep 600; touch acted' >/dev/null; touch acted", 3],
  ['one that ignores SIGTERM', "trap '' TERM; sleep 600; touch acted", 2],
  ['one that keeps starting children', 'while :; do sleep 0.001 || touch acted; done', 1],
  [
    'several that keep starting children',
    'for i in 1 2 3; do (while :; do sleep 0.001 || touch acted; done) & done; wait',
    4,
  ],
  ['one that reads from another', '(sleep 600; touch acted) | (cat; touch acted); touch acted', 5],
  ['one without environment', 'env -i PATH="$PATH" sh -c \'sleep 600; touch acted\'; touch acted', 3],
]

function start(script: string): StartedCommand {
  const id = `round-${process.hrtime.bigint()}`
  const env = { PATH: process.env.PATH, [MARKER]: id }
  const child = spawn('sh', ['-c', script], { cwd: dir, detached: true, stdio: 'ignore', env })
  return startedCommand(child.pid!, id)
}

async function startAll(
  script: string,
  processes: number,
): Promise<{ command: StartedCommand; members: readonly Process[] }> {
  const command = start(script)
  let members: readonly Process[] = []
  const count = () => {
    members = membersOf(command)
    return members.length
  }
  await expect.poll(count, { interval: 4 }).toBeGreaterThanOrEqual(processes)
  return { command, members }
}

/** Gives the other processes time to react to each signal, as on a busy machine. */
function slowSignals(): () => void {
  const { kill } = process
  const never = new Int32Array(new SharedArrayBuffer(4))
  const spy = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    const sent = kill.call(process, pid, signal)
    if (signal !== 0) Atomics.wait(never, 0, 0, 5)
    return sent
  })
  return () => spy.mockRestore()
}

const ends: readonly (readonly [name: string, end: (command: StartedCommand, known: readonly Process[]) => unknown])[] =
  [
    ['immediately', (command, known) => killTreeNow(command, known)],
    ['with SIGKILL', (command, known) => killTree(command, known)],
    ['with SIGTERM', (command, known) => terminateTree(command, 40, known)],
  ]

describe('ending a tree: no process reacts to the end of another', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'the processes are told from the dead by /proc'))

  for (const [how, end] of ends) {
    it.each(waiting)(`${how}: %s`, { timeout: patience(300_000) }, async (_name, script, processes) => {
      for (let round = 1; round <= ROUNDS; round += 1) {
        rmSync(ACTED, { force: true })
        const { command, members } = await startAll(script, processes)
        const restore = round % 2 === 0 ? slowSignals() : undefined
        await end(command, members)
        restore?.()
        await expect.poll(() => membersOf(command, undefined, members), { interval: 4 }).toEqual([])
        expect(existsSync(ACTED), `round ${round}`).toBe(false)
      }
    })
  }
})

describe('a tree that gets SIGTERM', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'the processes are told from the dead by /proc'))

  const file = (name: string) => join(dir, name)
  const textOf = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '')

  it('gets the signal once in every process, and may clean up', async () => {
    const trap = (name: string) => `trap 'echo asked >> ${name}; exit' TERM`
    const script = `${trap('outer')}; (${trap('inner')}; echo ready > ready; while :; do sleep 0.01; done) & wait`
    const command = start(script)
    await expect.poll(() => textOf('ready')).toBe('ready\n')
    await terminateTree(command, 20_000)
    expect([textOf('outer'), textOf('inner')]).toEqual(['asked\n', 'asked\n'])
  })

  it('does not continue a process that was stopped before', async () => {
    const command = start("trap '' TERM; kill -STOP $$; touch acted")
    await expect.poll(() => membersOf(command).map(({ stopped }) => stopped)).toEqual([true])
    const members = membersOf(command)
    await terminateTree(command, 20_000)
    expect([members.some(isAlive), existsSync(ACTED)]).toEqual([false, false])
  })

  it('includes a process whose main thread has ended', async ({ skip }) => {
    skip(!existsSync('/usr/bin/python3'), 'needs Python to end a thread')
    writeFileSync(file('threads.py'), THREADS)
    const command = start('exec /usr/bin/python3 threads.py')
    await expect.poll(() => textOf('thread')).toBe('alone')
    const members = membersOf(command)
    expect(members).toHaveLength(1)
    await terminateTree(command, 0)
    expect(members.some(isAlive)).toBe(false)
  })
})

const THREADS = `import ctypes, os, threading, time
def stay():
    while open(f'/proc/{os.getpid()}/stat').read().rsplit(')')[1].split()[0] != 'Z': time.sleep(0.001)
    open('thread', 'w').write('alone')
    time.sleep(600)
threading.Thread(target=stay).start()
ctypes.CDLL(None).pthread_exit(None)
`

describe('unrelated processes', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'the processes are told from the dead by /proc'))

  it.each(ends)('are neither stopped nor ended: %s', async (_name, end) => {
    const other = startedCommand(spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid!, 'another')
    const { command, members } = await startAll('sleep 600; touch acted', 2)
    await end(command, members)
    const left = membersOf(other)
    await killTree(other)
    expect(left).toMatchObject([{ pid: other.pid, stopped: false }])
  })
})
