import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLAIM, runProject } from './run-project.ts'

const DONE = { 'first.txt': 'done', 'second.txt': 'done' }
const WORK = 'echo $EXITGATE_ITERATION > notes.txt\n'

describe('a run', () => {
  it('does not start if the plan does not exist', async () => {
    const project = runProject()
    const ran = await project.run(['run', '--plan', 'nope.md', '--', ...project.agent(WORK)])
    expect([ran.code, ran.stderr]).toEqual([64, expect.stringContaining('The plan nope.md does not exist in ')])
  })

  it('warns about limits it cannot enforce, and about checkpoints without a repository', async () => {
    const project = runProject()
    rmSync(join(project.dir, '.git'), { recursive: true })
    const limits = ['--max-cost', '1', '--max-tokens', '9', '--max-iterations', '2']
    const ran = await project.run(['run', '--plain', '--checkpoint', ...limits, '--', ...project.agent(WORK)])
    const times = (text: string): number => ran.stdout.split(text).length - 1
    expect(times("This agent doesn't report costs, so --max-cost can't be enforced."), ran.stdout + ran.stderr).toBe(1)
    expect(times("This agent doesn't report tokens, so --max-tokens can't be enforced.")).toBe(1)
    expect(times('This is not a git repository, so no checkpoint was made.')).toBe(1)
    expect(ran.code).toBe(2)
  })

  it('counts a task that has only a title as done when it is in the done folder', async () => {
    const project = runProject(DONE)
    mkdirSync(join(project.dir, 'tasks/todo'), { recursive: true })
    writeFileSync(join(project.dir, 'tasks/todo/001-fix.md'), '# Fix add\n')
    project.git('add', '-A')
    project.git('commit', '-qm', 'task')
    const agent = project.agent(`${WORK}mkdir -p tasks/done; mv tasks/todo/001-fix.md tasks/done; ${CLAIM}`)
    const ran = await project.run([
      'run',
      '--plain',
      '--plan',
      'tasks',
      '--expects',
      'none',
      '--max-iterations',
      '2',
      '--',
      ...agent,
    ])
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
  })
})
