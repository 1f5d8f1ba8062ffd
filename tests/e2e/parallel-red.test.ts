import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { does, LIES, parallelProject } from './parallel-project.ts'
import { TAP } from './run-project.ts'

const LONG = { timeout: patience(180_000) }
/** Two tests fail at the start. Each part makes one of them pass. */
const RED = {
  'halves.sh': `${TAP}check 'the sum is right' test ! -e parts/wrong
check 'the total' test -e parts/total
check 'the discount' test -e parts/discount
`,
}
const BOTH = [
  { id: 'total', does: does('total') },
  { id: 'discount', does: does('discount') },
]

describe('tasks that each fix a part of what fails at the start', LONG, () => {
  it('complete, and their merge makes all tests pass', async () => {
    const made = parallelProject(BOTH, { files: RED })
    const ran = await made.tasks('--parallel', '2', '--merge')
    expect(made.ends()).toEqual({
      total: 'completed/verified merge merged',
      discount: 'completed/verified merge merged',
    })
    expect(ran.code, ran.stdout).toBe(0)
    expect(ran.stdout).toMatch(/1 newly fixed, 1 failure left to other tasks/)
  })

  it('complete, also if one of them makes no failing test pass but has a test of its own', async () => {
    const test = (name: string) =>
      `const test = require('node:test'); test('the ${name}', () => { if (require('./parts/${name}') !== 1) throw 1 })`
    const part = (name: string) => `mkdir -p parts; echo 'module.exports = 1' > parts/${name}.js`
    const files = {
      'package.json': '{"scripts":{"test":"node --test"}}',
      'total.test.js': test('total'),
      'discount.test.js': test('discount'),
    }
    const tasks = [
      ...['total', 'discount'].map((id) => ({ id, does: `${part(id)}; claim` })),
      { id: 'feature', does: `${part('feature')}; echo "${test('feature')}" > feature.test.js; claim` },
    ]
    const made = parallelProject(tasks, { files })
    const ran = await made.tasks('--parallel', '3', '--merge')
    expect(made.ends(), ran.stdout).toEqual({
      total: 'completed/verified merge merged',
      discount: 'completed/verified merge merged',
      feature: 'completed/verified merge merged',
    })
    expect(ran.stdout).toContain('2 failures left to other tasks')
    expect(ran.stdout).toContain('2 tests already fail and must pass if this task names them, or after all tasks: ')
  })

  it.each([
    ['does nothing', LIES],
    ['breaks a test', 'part wrong; part total; claim'],
    ['leaves a test that its task names', 'part other; claim', 'Make "the total" pass.'],
  ])('a task that %s does not complete', async (_, what, prompt = '') => {
    const made = parallelProject([...BOTH, { id: 'lie', does: `${what}\n${prompt}` }], { files: RED })
    const ran = await made.tasks('--parallel', '3', '--max-iterations', '1')
    expect(made.ends()).toMatchObject({ total: 'completed/verified', lie: 'aborted/iterations' })
    expect(ran.code).toBe(2)
  })

  it.each([[['--merge']], [[]]])('what no task fixed is named, and the exit code is 2: %j', async (args) => {
    const files = { 'halves.sh': `${RED['halves.sh']}check 'the tax' test -e parts/tax\n` }
    const made = parallelProject(BOTH, { files })
    const ran = await made.tasks(...args)
    expect(made.ends()).toMatchObject({
      total: expect.stringMatching(/^completed/),
      discount: expect.stringMatching(/^completed/),
    })
    expect(ran.code, ran.stdout).toBe(2)
    expect(ran.stdout).toMatch(/Still failing, as before the tasks: the tax\.\nIf .* pass --accept-failing\./)
  })
})
