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
      total: 'completed/passed merge merged',
      discount: 'completed/passed merge merged',
    })
    expect(ran.code, ran.stdout).toBe(0)
    expect(ran.stdout).toMatch(/1 newly fixed, 1 failure left to other tasks/)
  })

  it('a task that makes none of them pass, or breaks one, does not', async () => {
    const made = parallelProject(
      [...BOTH, { id: 'lie', does: LIES }, { id: 'breaks', does: 'part wrong; part total; claim' }],
      { files: RED },
    )
    const ran = await made.tasks('--parallel', '4', '--max-iterations', '1')
    expect(made.ends()).toMatchObject({
      total: 'completed/passed',
      lie: 'aborted/iterations',
      breaks: 'aborted/iterations',
    })
    expect(ran.code).toBe(2)
    expect(ran.stdout).toMatch(/the total.*\n?.*the discount/)
    expect(ran.stdout).toContain('--accept-failing')
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
