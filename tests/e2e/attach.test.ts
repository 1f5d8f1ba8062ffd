import type { ChildProcess } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { insideAgent } from '../../src/hooks/inside-agent.ts'
import { isGone } from '../is-gone.ts'
import { patience } from '../timing.ts'
import { linesOf, processesOf, runProject, waitFor } from './run-project.ts'

beforeEach(({ skip }) => {
  skip(process.platform === 'win32', 'needs SIGSTOP')
  skip(
    insideAgent(process.env, process.pid) !== undefined,
    'these tests were started by an agent, whose commands are refused',
  )
})

/** Resolves when the process has printed this. */
const printed = (child: ChildProcess, text: string): Promise<void> =>
  new Promise((resolve) => {
    let all = ''
    child.stdout?.on('data', (bytes: Buffer) => {
      all += bytes
      if (all.includes(text)) resolve()
    })
  })

/** More than a socket buffers. */
const MUCH = "head -c 1000000 /dev/zero | tr '\\0' x | fold -w 999\n"

/** A run of one iteration, whose agent waits for the file `go`, and an `exitgate attach` that shows it. */
async function attached(script: string) {
  const project = runProject()
  onTestFinished(() => {
    for (const pid of processesOf(project.root).map(Number)) if (!isGone(pid)) process.kill(pid, 'SIGKILL')
  })
  const agent = project.agent(`${waitFor('go')}${script}`)
  const run = await project.start(['run', '--json', '--accept-failing', '--max-iterations', '1', '--', ...agent])
  await printed(run.child, '"type":"iteration"')
  const note = join(project.journalDir(), 'control.json')
  await expect.poll(() => existsSync(note), { timeout: patience(30_000) }).toBe(true)
  const view = await project.start(['attach', '--json'])
  await printed(view.child, '"type":"iteration"')
  return { project, run, view, go: () => writeFileSync(join(project.root, 'go'), '') }
}

describe('exitgate attach', { timeout: patience(60_000) }, () => {
  it('reports a run that was killed', async () => {
    const { run, view } = await attached('')
    run.child.kill('SIGKILL')
    const { code, stderr } = await view.done
    expect(stderr).toContain(
      'Crashed: exitgate was killed, or the machine restarted. `exitgate run --resume` continues it.',
    )
    expect(stderr).not.toContain('The run continues')
    expect(code).toBe(3)
  })

  it('has the exit code of a run that did not wait until it had read the end', async () => {
    const { run, view, go } = await attached(MUCH)
    view.child.kill('SIGSTOP')
    go()
    expect((await run.done).code).toBe(2)
    view.child.kill('SIGCONT')
    const { code, stdout, stderr } = await view.done
    expect(stderr).not.toContain('The run continues')
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'ended', exitCode: 2, ending: 'iterations' })
    expect(code).toBe(2)
  })

  it('fails if it was disconnected from a run that continues', async () => {
    const { project, view } = await attached('')
    // The run opens another socket, and ends the connections of this one.
    rmSync(join(project.journalDir(), 'control.json'))
    const { code, stderr } = await view.done
    expect(stderr).toContain('The connection ended. The run continues; exitgate attach shows it again.')
    expect(code).toBe(64)
  })

  it('shows everything up to the end, also if it reads slowly', async () => {
    const { run, view, go } = await attached(MUCH)
    view.child.kill('SIGSTOP')
    const ended = printed(run.child, '"type":"ended"')
    go()
    await ended
    view.child.kill('SIGCONT')
    const { code, stdout } = await view.done
    expect(linesOf(stdout).map(({ type }) => type)).toEqual(expect.arrayContaining(['decided', 'ended']))
    expect(code).toBe(2)
  })

  it('works while the run takes its baseline, as do status, pause and stop', async () => {
    const project = runProject()
    onTestFinished(() => {
      for (const pid of processesOf(project.root).map(Number)) if (!isGone(pid)) process.kill(pid, 'SIGKILL')
    })
    const slow = ['--test', `sh -c "while :; do sleep 0.1; done"`]
    const run = await project.start(['run', '--json', ...slow, '--', ...project.agent('')])
    await printed(run.child, '"type":"command"')
    const note = join(project.journalDir(), 'control.json')
    await expect.poll(() => existsSync(note), { timeout: patience(30_000) }).toBe(true)
    const view = await project.start(['attach', '--json'])
    await printed(view.child, '"type":"baseline"')
    const status = await project.run(['status', '--json'])
    expect(JSON.parse(status.stdout)).toMatchObject({
      iterations: 0,
      live: { doing: { kind: 'baseline' }, paused: false },
    })
    expect((await project.run(['status'])).stdout).toMatch(/^status +running the checks for the baseline, .*: sh -c/m)
    expect((await project.run(['pause'])).stdout).toMatch(/^Pausing/)
    expect((await project.run(['pause'])).stdout).toMatch(/^The run is paused already, or will be/)
    expect((await project.run(['stop'])).stdout).toBe('Stopping the run.\n')
    expect([(await run.done).code, (await view.done).code]).toEqual([3, 3])
  })
})
