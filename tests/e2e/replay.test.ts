import { expect, it } from 'vitest'
import { CLAIM, runProject } from './run-project.ts'

/** Claims falsely, does half of the work and claims falsely again, then finishes. */
const AGENT = `if [ ! -e lied.txt ]; then echo once > lied.txt
elif [ ! -e first.txt ]; then echo done > first.txt
else echo done > second.txt; fi
${CLAIM}`

it('replay repeats the decisions of real runs, and backtest shows how other settings would have ended them', async () => {
  const project = runProject()
  const agent = project.agent(AGENT)
  const limited = await project.run(['run', '--quiet', '--max-iterations', '1', '--', ...agent])
  expect(limited.code).toBe(2)
  const finished = await project.run(['run', '--quiet', '--', ...agent])
  expect([finished.code, finished.stderr]).toEqual([0, ''])

  const again = await project.run(['replay'])
  expect([again.code, again.stdout]).toEqual([0, '3 decisions of 2 runs: all the same\n'])

  const runsWith = async (...args: readonly string[]) => {
    const { stdout } = await project.run(['backtest', '--json', ...args])
    const { runs } = JSON.parse(stdout) as {
      runs: {
        alternative?: { outcome: string; ending: string; iteration: number }
        effect: string
        saved: { iterations: number; ms: number }
      }[]
    }
    return runs
  }
  const same = await runsWith('--set', 'hollowClaims=3')
  expect(same.map(({ effect }) => effect)).toEqual(['same', 'same'])
  const shorter = await runsWith('--set', 'limits.iterations=1')
  expect(shorter).toMatchObject([
    { effect: 'same' },
    {
      effect: 'changed',
      alternative: { outcome: 'aborted', ending: 'iterations', iteration: 1 },
      saved: { iterations: 1 },
    },
  ])
  expect(shorter[1]!.saved.ms).toBeGreaterThan(0)
  const unknown = await runsWith('--set', 'evidence.proof=required')
  expect(unknown.map(({ effect }) => effect)).toEqual(['cannot-tell', 'cannot-tell'])
})
