import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readEvents, verifyJournal } from '../../src/journal/read.ts'
import { patience } from '../timing.ts'
import { does, parallelProject } from './parallel-project.ts'
import { processesOf } from './run-project.ts'

const LONG = { timeout: patience(240_000) }
const patient = (id: string): string => `wait_for go; part ${id}; if [ $n != 1 ]; then claim; else go_on; fi`

const rows = [
  { id: 'quick', does: does('quick'), priority: 1 },
  { id: 'slow', does: patient('slow') },
  { id: 'other', does: patient('other') },
  { id: 'later', does: does('later'), after: ['slow'] },
]

describe('an interrupted task list', () => {
  it('after Ctrl+C: agents finish their iteration, nothing new starts, and --resume continues', LONG, async () => {
    const project = parallelProject(rows)
    const { child, done } = await project.start(project.args('--parallel', '2', '--plain'))
    await project.noted(/begin slow 1[\s\S]*begin other 1|begin other 1[\s\S]*begin slow 1/)
    child.kill('SIGINT')
    let out = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk
    })
    await expect.poll(() => out, { timeout: patience(60_000) }).toContain('Interrupt received')
    project.let('go')
    const ran = await done
    expect(ran.code, ran.stdout + ran.stderr).toBe(3)
    expect(project.ends()).toEqual({
      quick: 'completed/passed',
      slow: 'interrupted/interrupt',
      other: 'interrupted/interrupt',
    })
    expect(processesOf(project.root)).toEqual([])
    expect(project.worktrees()).toEqual(['other', 'slow'])
    const again = await project.tasks('--parallel', '2', '--plain', '--resume')
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(Object.values(project.ends())).toEqual(Array(4).fill('completed/passed'))
    expect(project.starts('quick')).toBe(1)
    expect(project.starts('slow')).toBe(2)
    expect(project.worktrees()).toEqual([])
    expect(project.filesOf('exitgate/later')).toEqual(expect.arrayContaining(['parts/slow', 'parts/later']))
  })

  it('after a second Ctrl+C: no agent is left; after kill -9: --resume ends the old agents', LONG, async () => {
    const project = parallelProject(rows)
    const first = await project.start(project.args('--parallel', '2', '--plain'))
    await project.noted(/begin slow 1[\s\S]*begin other 1|begin other 1[\s\S]*begin slow 1/)
    first.child.kill('SIGKILL')
    await first.done
    expect(processesOf(project.root).length).toBeGreaterThan(0)

    const second = await project.start(project.args('--parallel', '2', '--plain', '--resume'))
    await project.noted(/(?:begin slow 1[\s\S]*){2}/)
    await project.noted(/(?:begin other 1[\s\S]*){2}/)
    const press = setInterval(() => second.child.kill('SIGINT'), 200)
    const killed = await second.done
    clearInterval(press)
    expect(killed.code, killed.stdout + killed.stderr).toBe(130)
    expect(killed.stdout).toContain('exit code 130')
    await expect.poll(() => processesOf(project.root), { timeout: patience(30_000) }).toEqual([])

    project.let('go')
    const third = await project.tasks('--parallel', '2', '--plain', '--resume')
    expect(third.code, third.stdout + third.stderr).toBe(0)
    expect(Object.values(project.ends())).toEqual(Array(4).fill('completed/passed'))
    expect(project.starts('quick')).toBe(1)
    for (const { dir } of Object.values(project.record().tasks)) {
      expect(verifyJournal(dir)).toMatchObject({ ok: true, problems: [] })
      expect(existsSync(join(dir, 'lock'))).toBe(false)
      const decided = [...readEvents(dir)].flatMap((event) =>
        event.type === 'iteration.decided' ? [event.iteration] : [],
      )
      expect(decided).toEqual(decided.map((_, at) => at + 1))
    }
    expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })
})
