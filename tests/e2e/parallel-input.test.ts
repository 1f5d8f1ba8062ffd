import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { does, parallelProject } from './parallel-project.ts'

const LONG = { timeout: patience(240_000) }

describe('a task list that cannot run', () => {
  const rows: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['--parallel', '0'], /--parallel must be a whole number of at least 1, not "0"\./],
    [['--parallel', 'two'], /--parallel must be a whole number of at least 1, not "two"\./],
    [['--task', 'x'], /--task is for a single task\. Leave it out with --tasks\./],
    [['--prompt', 'x.md'], /--prompt is for a single task\./],
    [['--resume'], /No list of tasks to resume here\. Start it without --resume\./],
    [['--preset', 'nobody'], /"preset" must be one of .*, not "nobody"/],
  ]
  it('is refused with a reason, and nothing is started', LONG, async () => {
    const project = parallelProject([{ id: 'a', does: does('a') }])
    for (const [args, said] of rows) {
      const ran = await project.tasks(...args)
      expect([ran.code, ran.stderr], args.join(' ')).toEqual([64, expect.stringMatching(said)])
    }
    const alone = await project.run(['run', '--parallel', '2', '--', 'true'])
    expect([alone.code, alone.stderr]).toEqual([
      64,
      expect.stringContaining('--parallel and --merge need --tasks FILE.'),
    ])
    project.git('branch', 'exitgate/a', 'HEAD')
    project.git('commit', '--allow-empty', '-qm', 'later')
    const taken = await project.tasks()
    expect([taken.code, taken.stderr]).toEqual([64, expect.stringContaining('git branch -D exitgate/a\n')])
    project.git('branch', '-D', 'exitgate/a')
    project.git('checkout', '-q', '--detach')
    const loose = await project.tasks('--merge')
    expect([loose.code, loose.stderr]).toEqual([64, expect.stringContaining('--merge needs a branch to merge into')])
    expect(project.log()).toEqual([])
    expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  it('is refused in one sentence without a git repository', LONG, async () => {
    const project = parallelProject([{ id: 'a', does: does('a') }])
    const bare = mkdtempSync(join(tmpdir(), 'exitgate-bare-'))
    try {
      writeFileSync(join(bare, 'x.txt'), '')
      const ran = await project.tasks('--dir', bare)
      expect([ran.code, ran.stderr]).toEqual([
        64,
        expect.stringMatching(
          /^error: --tasks needs a git repository with a commit, .*This is not a git repository\.\n$/,
        ),
      ])
    } finally {
      rmSync(bare, { recursive: true, force: true })
    }
  })

  it('reports the last lines of a failing setup command, and can be resumed once it is fixed', LONG, async () => {
    const setup = 'test -f ready.txt || { echo "no such package"; exit 3; }'
    const project = parallelProject([{ id: 'a', does: does('a') }], {
      files: { 'exitgate.config.json': JSON.stringify({ run: { setup } }) },
    })
    const ran = await project.tasks('--plain')
    expect(ran.code, ran.stdout + ran.stderr).toBe(2)
    expect(project.record().tasks.a?.end).toMatchObject({ outcome: 'aborted', ending: 'fatal' })
    expect(project.record().tasks.a?.end?.reason).toBe(`run.setup failed (exit 3): ${setup}\nno such package`)
    expect(project.starts('a')).toBe(0)
    project.write('exitgate.config.json', JSON.stringify({ run: { setup: 'echo ok > built.txt' } }))
    const again = await project.tasks('--plain', '--resume')
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(project.ends()).toEqual({ a: 'completed/passed' })
  })
})
