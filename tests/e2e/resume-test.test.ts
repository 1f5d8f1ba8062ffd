import { expect, it } from 'vitest'
import { CLAIM, NODE_TESTS, runProject } from './run-project.ts'

it('a resumed run takes the test command that the person names now', async () => {
  const project = runProject({ ...NODE_TESTS, 'first.txt': 'done', 'second.txt': 'done' })
  const agent = project.agent(`import { writeFileSync } from 'node:fs'
writeFileSync('notes.txt', process.env.EXITGATE_ITERATION)
${CLAIM}`)
  const red = await project.run([
    'run',
    '--plain',
    '--test',
    'node -e "process.exit(1)"',
    '--max-iterations',
    '1',
    '--',
    ...agent,
  ])
  expect(red.code, red.stdout + red.stderr).toBe(2)
  const green = await project.run(['run', '--plain', '--resume', '--test', 'node --test', '--max-iterations', '3'])
  expect(green.code, green.stdout + green.stderr).toBe(0)
})
