import { spawn } from 'node:child_process'
import { beforeEach, describe, expect, it } from 'vitest'
import { isAlive, MARKER, membersOf, scanProc, scanPs, startedCommand } from '../../src/system/processes.ts'

/** A shell that leads a group, a child in the group, and one that left it. */
async function family(id: string) {
  const child = spawn('sleep 600 & echo $!; setsid sleep 600 & echo $!; wait', {
    shell: true,
    detached: true,
    env: { PATH: process.env.PATH, [MARKER]: `outer.${id}` },
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  await expect.poll(() => said.trim().split('\n').length).toBe(2)
  return { leader: child.pid!, pids: [child.pid!, ...said.trim().split('\n').map(Number)] }
}
const end = (pids: readonly number[]) => {
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

describe('the processes of a command', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'the processes are told from the dead by /proc'))

  it.each([
    ['kernel', (id: string) => scanProc(id)!],
    ['ps', scanPs],
  ])('according to %s', async (name, look) => {
    const { leader, pids } = await family(name)
    // Each source has its own time format, so times aren't compared here.
    const started = { pid: leader, id: name }
    const members = membersOf(startedCommand(leader, name))
    const found = membersOf(started, look)
    const alive = members.map(isAlive)
    end(pids)
    expect(found.map(({ pid }) => pid).sort()).toEqual([...pids].sort())
    expect(alive).toEqual([true, true, true])
    await expect.poll(() => membersOf(started, look)).toEqual([])
    expect(members.some(isAlive)).toBe(false)
  })

  it('are found by their id if the pid of their leader was reused', async () => {
    const { leader, pids } = await family('the-id')
    const marked = membersOf({ pid: leader, id: 'the-id', since: 'another time' })
    const unmarked = membersOf({ pid: leader, id: 'another-id', since: 'another time' })
    end(pids)
    expect(marked.map(({ pid }) => pid).sort()).toEqual([...pids].sort())
    expect(unmarked).toEqual([])
  })
})
