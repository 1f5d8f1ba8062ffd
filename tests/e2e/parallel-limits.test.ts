import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { does, parallelProject } from './parallel-project.ts'
import { linesOf } from './run-project.ts'

const LONG = { timeout: patience(240_000) }

describe('limits shared by all tasks', () => {
  it('on cost end every task before its next iteration, with the reason', LONG, async () => {
    const costs = 'part n$n; usage 0.6'
    const project = parallelProject(
      [
        { id: 'a', does: costs, priority: 1 },
        { id: 'b', does: costs },
      ],
      { limits: { usd: 1 } },
    )
    const ran = await project.tasks('--parallel', '1', '--plain', '--format', 'claude')
    expect(ran.code, ran.stdout + ran.stderr).toBe(2)
    expect(project.ends()).toEqual({ a: 'aborted/cost', b: 'aborted/cost' })
    expect(project.starts('a')).toBe(2)
    expect(project.starts('b')).toBe(0)
    expect(project.record().tasks.b?.end?.reason).toBe('1.2 of 1 dollars spent (shared limit of all tasks)')
    // --resume still counts what was spent, so the tasks need a higher limit.
    const poor = await project.tasks('--plain', '--resume')
    expect(poor.code, poor.stdout + poor.stderr).toBe(2)
    expect(project.starts('a') + project.starts('b')).toBe(2)
    project.list(
      [
        { id: 'a', does: costs },
        { id: 'b', does: does('b') },
      ],
      { usd: 1.5 },
    )
    const rich = await project.tasks('--plain', '--resume', '--max-cost', '1.7')
    expect(rich.code, rich.stdout + rich.stderr).toBe(2)
    expect(project.starts('a')).toBe(3)
  })

  it('on calls per hour delay the next start of any task', LONG, async () => {
    const project = parallelProject(
      ['a', 'b', 'c'].map((id) => ({ id, does: does(id) })),
      { limits: { callsPerHour: 2 } },
    )
    const { child, done } = await project.start(project.args('--parallel', '2', '--json'))
    let out = ''
    const waits = new Promise<void>((resolve) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        out += chunk
        if (out.includes('"type":"waiting"')) resolve()
      })
    })
    await Promise.race([waits, done])
    const verified = { a: 'completed/passed', b: 'completed/passed' }
    await expect.poll(() => project.ends(), { timeout: patience(90_000) }).toMatchObject(verified)
    child.kill('SIGINT')
    const ran = await done
    expect(ran.code, ran.stdout + ran.stderr).toBe(3)
    const waiting = linesOf(ran.stdout).find(({ type }) => type === 'waiting')
    expect(waiting).toMatchObject({
      task: 'c',
      why: 'the limit is 2 iterations per hour (shared limit of all tasks)',
    })
    expect(project.ends()).toMatchObject(verified)
    expect(project.starts('c')).toBe(0)
  })
})
