import { readdirSync, readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { assertSound, inShell, noTerminal, pressUntil, QUICK_AGENT, story, withoutShell } from './interrupt-run.ts'
import { CTRL_C } from './terminal.ts'

beforeEach(({ skip }) => skip(noTerminal !== undefined, noTerminal))

const FINISHES = /Interrupt received: stopping after the agent finishes this iteration/

const sleeping = (nap: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${nap}\0`
    } catch {
      return false
    }
  })

describe('Ctrl+C while the agent works', () => {
  it('once: the agent finishes its iteration, the state is saved, and the run can be resumed', async () => {
    const { project, terminal, ...session } = await inShell()
    await session.noted('started', '1')
    terminal.type(CTRL_C)
    await terminal.shows(FINISHES)
    expect(session.note('finished')).toBe('')
    session.let('go')
    expect(await session.end(), terminal.text()).toBe(3)
    expect(session.note('finished')).toBe('1\n')
    expect(project.text('work.txt')).toBe('1')
    expect(terminal.text()).toMatch(/interrupted/)
    expect(story(project)).toEqual(['start 1.1', '1 interrupted', 'interrupted/interrupt'])
    await assertSound(project)
    expect((await session.exitgate('state')).stdout).toMatch(
      /^status +Interrupted: you stopped the run \(Ctrl\+C or exitgate stop\)\.$/m,
    )

    const resumed = await session.exitgate('run', '--resume', '--plain', '--', ...project.agent(QUICK_AGENT))
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0)
    expect(story(project).slice(3)).toEqual(['resumed', 'start 2.1', '2 gate', 'completed/verified'])
    await assertSound(project)
  })

  it('twice: the process tree is killed, and --resume repeats the iteration', async () => {
    const { project, terminal, ...session } = await inShell()
    await session.noted('started', '1')
    terminal.type(CTRL_C)
    await terminal.shows(FINISHES)
    const ended = session.end()
    await pressUntil(terminal, ended)
    expect(await ended, terminal.text()).toBe(130)
    expect(session.note('finished')).toBe('')
    expect(terminal.text()).toMatch(/interrupted, agent stopped immediately ─+ exit code 130/)
    expect(terminal.text()).toMatch(/that iteration does not count/)
    await assertSound(project)
    expect(story(project)).toEqual(['start 1.1', 'interrupted/interrupt'])
    expect((await session.exitgate('state')).stdout).toMatch(/^status +Interrupted: stopped at once by the user\.$/m)

    const resumed = await session.exitgate('run', '--resume', '--plain', '--', ...project.agent(QUICK_AGENT))
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0)
    expect(story(project).slice(2)).toEqual(['resumed', 'start 1.2', '1 gate', 'completed/verified'])
    await assertSound(project)
  })

  it('twice: also kills processes that left the process group, the environment and their parents', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it finds such a process through /proc')
    // The parent must live until exitgate has seen the child; later nothing connects the child to the run.
    const agent = `nap=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
sh -c "setsid env -i sleep $nap & sleep ${patience(2_000) / 1000}" < /dev/null > /dev/null 2>&1
echo $nap > "$HOME/left"
exec sleep 600`
    const { project, terminal, ...session } = await inShell({ agent })
    await session.noted('left')
    const nap = session.note('left').trim()
    expect(sleeping(nap)).toHaveLength(1)
    terminal.type(CTRL_C)
    await terminal.shows(FINISHES)
    const ended = session.end()
    await pressUntil(terminal, ended)
    expect(await ended, terminal.text()).toBe(130)
    await expect.poll(() => sleeping(nap)).toEqual([])
    await assertSound(project)
  })

  it('once with --interrupt immediate: the agent is killed', async () => {
    const { project, terminal, ...session } = await inShell({ args: ['--interrupt', 'immediate', '--plain'] })
    await session.noted('started', '1')
    terminal.type(CTRL_C)
    await terminal.shows(/Interrupt received: stopping the agent and the run\./)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(session.note('finished')).toBe('')
    expect(story(project)).toEqual(['start 1.1', '1 interrupted', 'interrupted/interrupt'])
    await assertSound(project)
  })
})

describe('other interrupts work like the first Ctrl+C', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('%s', async (name) => {
    const { project, terminal, ...session } = await inShell({
      args: ['--max-minutes', '50'],
      shell: '"$@" & echo "[process $!]"; fg >/dev/null; code=$?; stty -a; echo "[exit code $code]"',
    })
    const [, pid] = await terminal.shows(/\[process (\d+)\]/)
    await session.noted('started', '1')
    process.kill(Number(pid), name)
    await terminal.shows(FINISHES)
    session.let('go')
    expect(await session.end(), terminal.text()).toBe(3)
    expect(session.note('finished')).toBe('1\n')
    expect(story(project)).toEqual(['start 1.1', '1 interrupted', 'interrupted/interrupt'])
    await assertSound(project)
    // You don't have to repeat the agent or the limits.
    const resumed = await session.exitgate('run', '--resume', '--plain', '--max-iterations', '2')
    expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ code: 2, stderr: '' })
    expect(resumed.stdout).toMatch(/resumed after iteration 1/)
    expect(resumed.stdout).not.toMatch(/warning/)
  })

  it('a closed terminal', async () => {
    const { project, terminal, ...session } = await withoutShell()
    await session.noted('started', '1')
    await terminal.close()
    session.let('go')
    expect(await terminal.ended).toBe(3)
    expect(session.note('finished')).toBe('1\n')
    expect(story(project)).toEqual(['start 1.1', '1 interrupted', 'interrupted/interrupt'])
    await assertSound(project)
  })
})
