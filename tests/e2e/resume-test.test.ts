import { expect, it } from 'vitest'
import { CLAIM, NODE_TESTS, runProject } from './run-project.ts'

it('--resume uses a new --test command', async () => {
  const project = runProject({ ...NODE_TESTS, 'first.txt': 'done', 'second.txt': 'done' })
  const agent = project.agent(`import { writeFileSync } from 'node:fs'
writeFileSync('notes.txt', process.env.EXITGATE_ITERATION)
${CLAIM}`)
  const failing = await project.run([
    'run',
    '--plain',
    '--test',
    'node -e "process.exit(1)"',
    '--max-iterations',
    '1',
    '--',
    ...agent,
  ])
  expect(failing.code, failing.stdout + failing.stderr).toBe(2)
  const passing = await project.run(['run', '--plain', '--resume', '--test', 'node --test', '--max-iterations', '3'])
  expect(passing.code, passing.stdout + passing.stderr).toBe(0)
})
