import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { does, parallelProject } from './parallel-project.ts'

const LONG = { timeout: patience(240_000) }

describe('finished runs of tasks', () => {
  it('can be selected by task id, even if their folders are gone', LONG, async () => {
    const project = parallelProject(['one', 'two'].map((id) => ({ id, does: does(id) })))
    expect(await project.tasks('--plain')).toMatchObject({ code: 0 })
    const { run = '' } = project.record().tasks.one?.end ?? {}
    expect(await project.run(['label', 'one', 'good', '--reason', 'shipped'])).toMatchObject({
      code: 0,
      stdout: `Labelled run ${run} good.\n`,
    })
    expect(await project.run(['label', `one/${run}`, 'bad'])).toMatchObject({ code: 0 })
    expect(await project.run(['replay', '--run', 'one'])).toMatchObject({
      code: 0,
      stdout: '1 decision of 1 run: all the same\n',
    })
    const tested = await project.run(['backtest', '--run', 'one', '--set', 'limits.iterations=1', '--json'])
    expect(JSON.parse(tested.stdout)).toMatchObject({ runs: [{ run, label: 'bad', effect: 'same' }] })
    expect((await project.run(['learn', '--all'])).stdout).toContain('1 labelled run: 0 good, 1 bad')
    const nobody = await project.run(['label', 'three', 'good'])
    expect(nobody).toMatchObject({ code: 64, stderr: expect.stringContaining('No finished runs here yet') })
  })
})
