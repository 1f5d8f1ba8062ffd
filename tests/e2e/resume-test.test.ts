import { expect, it } from 'vitest'
import { CLAIM, runProject } from './run-project.ts'

it('--resume uses a new --test command', async () => {
  const project = runProject({ 'first.txt': 'done', 'second.txt': 'done' })
  const agent = project.agent(`echo $EXITGATE_ITERATION > notes.txt; ${CLAIM}`)
  const failing = await project.run([
    'run',
    '--plain',
    '--expects',
    'none',
    '--test',
    'exit 1',
    '--max-iterations',
    '1',
    '--',
    ...agent,
  ])
  expect(failing.code, failing.stdout + failing.stderr).toBe(2)
  const passing = await project.run(['run', '--plain', '--resume', '--test', 'sh halves.sh', '--max-iterations', '3'])
  expect(passing.code, passing.stdout + passing.stderr).toBe(0)
})
