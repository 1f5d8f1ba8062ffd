import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { does, parallelProject } from './parallel-project.ts'
import { processesOf } from './run-project.ts'

const LONG = { timeout: patience(240_000) }

describe('a task list', () => {
  it('merges only verified work, even if an agent moves the merge branch', LONG, async () => {
    const evil = [
      'echo x > evil.txt; git add evil.txt',
      'git -c user.name=e -c user.email=e@localhost commit -qm evil',
      'git update-ref refs/heads/exitgate-merged HEAD',
      'git reset -q --hard HEAD~1',
    ]
    const project = parallelProject([
      { id: 'evil', does: `${evil.join('; ')}; ${does('evil')}`, priority: 1 },
      { id: 'good', does: does('good') },
    ])
    const ran = await project.tasks('--parallel', '1', '--merge', '--plain')
    const seen = ran.stdout + ran.stderr
    expect(project.filesOf('HEAD'), seen).not.toContain('evil.txt')
    expect(ran.code, seen).toBe(2)
    expect(seen).toMatch(/not merged: The branch exitgate-merged was moved to [0-9a-f]{10}, which was not checked here/)
  })

  it('does not overwrite your ignored files', LONG, async () => {
    const forces = 'printf theirs > secret.env; git add -f secret.env'
    const project = parallelProject([{ id: 'one', does: `${forces}; ${does('one')}` }], {
      files: { '.gitignore': '*.env\n' },
    })
    project.write('secret.env', 'mine')
    const ran = await project.tasks('--merge', '--plain')
    expect(project.text('secret.env'), ran.stdout + ran.stderr).toBe('mine')
    expect(ran.stdout).toContain('into exitgate-merged, because')
  })

  it('does not remove a worktree with work from an earlier list', LONG, async () => {
    const project = parallelProject([{ id: 'one', does: 'echo hours of work > draft.txt' }])
    await project.tasks('--plain', '--max-iterations', '1')
    const draft = join(project.folder(), 'worktrees/one/draft.txt')
    expect(existsSync(draft)).toBe(true)
    project.git('branch', '-m', 'exitgate/one', 'mine')
    const ran = await project.tasks('--plain', '--max-iterations', '1')
    expect(ran.code, ran.stdout + ran.stderr).toBe(64)
    expect(ran.stderr).toContain('has work of an earlier task "one".')
    expect(existsSync(draft)).toBe(true)
  })

  it('refuses --merge if HEAD was detached when it started', LONG, async () => {
    const project = parallelProject([{ id: 'one', does: does('one') }])
    project.git('checkout', '-q', '--detach')
    expect(await project.tasks('--plain')).toMatchObject({ code: 0 })
    project.git('checkout', '-q', '-')
    const ran = await project.tasks('--plain', '--resume', '--merge')
    expect(ran.code, ran.stdout + ran.stderr).toBe(64)
    expect(ran.stderr).toContain(
      '--merge needs a branch to merge into, and HEAD was detached when this list was started',
    )
  })

  it('merges nothing after an interrupt, and exits with code 3', LONG, async () => {
    const setup = 'case "$PWD" in */merge) touch "$HOME/merging"; until test -e "$HOME/go"; do sleep 0.1; done ;; esac'
    const project = parallelProject(
      ['one', 'two'].map((id) => ({ id, does: does(id) })),
      { files: { 'exitgate.config.json': JSON.stringify({ run: { setup } }) } },
    )
    const { child, done } = await project.start(project.args('--parallel', '2', '--merge', '--plain'))
    const both = () => existsSync(join(project.root, 'merging')) && Object.keys(project.ends()).length === 2
    await expect
      .poll(() => both() && Object.values(project.ends()), { timeout: patience(90_000) })
      .toEqual(['completed/passed', 'completed/passed'])
    child.kill('SIGINT')
    const ran = await done
    expect(Object.values(project.ends()).sort(), ran.stdout + ran.stderr).toEqual([
      'completed/passed',
      'completed/passed merge failed',
    ])
    expect(ran.code, ran.stdout + ran.stderr).toBe(3)
    project.let('go')
    const again = await project.tasks('--merge', '--resume', '--plain')
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(project.filesOf('HEAD')).toEqual(expect.arrayContaining(['parts/one', 'parts/two']))
  })

  it('leaves nothing running when the task record cannot be written', LONG, async () => {
    const breaks = 'rm ../../backlog.json; mkdir ../../backlog.json'
    const project = parallelProject([
      { id: 'breaks', does: `wait_for both; ${breaks}; ${does('breaks')}` },
      { id: 'other', does: ': > "$HOME/both"; wait_for never' },
    ])
    const ran = await project.tasks('--parallel', '2', '--plain')
    expect(ran.code, ran.stdout + ran.stderr).toBe(70)
    // They are killed at once, and gone as soon as the system gets to them.
    await expect.poll(() => processesOf(project.root), { timeout: patience(30_000) }).toEqual([])
  })
})
