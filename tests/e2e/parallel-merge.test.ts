import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { does, parallelProject } from './parallel-project.ts'

const LONG = { timeout: patience(240_000) }
const same = (text: string): string => `printf ${text} > same.txt; claim`

describe('completed work', () => {
  it('is merged into a clean branch one by one; conflicting work stays on its branch', LONG, async () => {
    const project = parallelProject([
      { id: 'one', does: does('one'), priority: 2 },
      { id: 'x', does: same('x'), priority: 1 },
      { id: 'y', does: same('y') },
    ])
    const ran = await project.tasks('--parallel', '1', '--merge', '--plain')
    expect(ran.code, ran.stdout + ran.stderr).toBe(2)
    expect(project.ends()).toEqual({
      one: 'completed/passed merge merged',
      x: 'completed/passed merge merged',
      y: 'completed/passed merge conflict',
    })
    expect(readFileSync(join(project.dir, 'parts/one'), 'utf8')).toBe('done')
    expect(project.text('same.txt')).toBe('x')
    expect(project.git('status', '--porcelain')).toBe('')
    expect(project.git('show', 'exitgate/y:same.txt')).toBe('y')
    expect(project.git('branch', '--list', 'exitgate-merged')).toBe('')
    expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(ran.stdout).toContain('exitgate/y conflicts in same.txt; the branch exitgate/y is unchanged')
    expect(ran.stdout).toContain('git merge exitgate/y')
  })

  it('that is already on the branch leaves nothing to merge', LONG, async () => {
    const project = parallelProject([
      { id: 'x', does: same('x'), priority: 1 },
      { id: 'y', does: same('x') },
    ])
    const ran = await project.tasks('--parallel', '1', '--merge', '--plain')
    expect(project.ends()).toEqual({ x: 'completed/passed merge merged', y: 'completed/passed merge nothing' })
    expect(ran.stdout + ran.stderr).toMatch(
      /^y +passed, not proven; nothing left to merge \(already on (?:main|master)\) {2}/m,
    )
    expect(ran.stdout + ran.stderr).not.toContain('git merge exitgate/y')
    expect(ran.code).toBe(0)
  })

  it('that passes alone but fails after the merge is not merged', LONG, async () => {
    const project = parallelProject([
      { id: 'l', does: does('left'), priority: 1 },
      { id: 'r', does: does('right') },
    ])
    const ran = await project.tasks('--parallel', '2', '--merge', '--plain')
    expect(ran.code, ran.stdout + ran.stderr).toBe(2)
    expect(Object.values(project.ends()).sort()).toEqual([
      'completed/passed merge merged',
      'completed/passed merge red',
    ])
    expect(ran.stdout).toMatch(/not merged: .*tests: 1 of 3 .*fail|not merged: tests/)
    expect(project.filesOf('HEAD').filter((name) => name.startsWith('parts/'))).toHaveLength(1)
  })

  it('with a finding that you accepted is merged with it', LONG, async () => {
    const project = parallelProject([{ id: 'x', does: 'part x later; claim' }])
    const stopped = await project.tasks('--merge', '--plain', '--allow-remote-control')
    expect(stopped.code, stopped.stdout + stopped.stderr).toBe(1)
    const listed = JSON.parse((await project.run(['accept', '--run', 'x', '--json'])).stdout) as {
      open: { id: string }[]
    }
    const accepted = await project.run([
      'accept',
      listed.open[0]?.id ?? '',
      '--run',
      'x',
      '--reason',
      'part x can wait',
    ])
    expect(accepted, accepted.stderr).toMatchObject({ code: 0 })
    const ran = await project.tasks('--merge', '--plain', '--resume')
    expect(project.ends(), ran.stdout + ran.stderr).toEqual({ x: 'completed/passed merge merged' })
    expect(project.starts('x')).toBe(3)
  })

  it('waits on its own branch while you have uncommitted changes, which stay untouched', LONG, async () => {
    const project = parallelProject([{ id: 'one', does: does('one') }])
    project.write('PROMPT.md', 'I am still writing this.\n')
    project.git('stash')
    project.write('PROMPT.md', 'And this.\n')
    project.write('staged.txt', 'staged\n')
    project.git('add', 'staged.txt')
    project.write('new.txt', 'nobody knows me\n')
    const before = project.own()
    const ran = await project.tasks('--merge', '--plain')
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(project.own()).toBe(before)
    expect(ran.stdout).toMatch(/warning: Tasks start from the last commit, without your uncommitted changes in 3 files/)
    expect(ran.stdout).toContain('into exitgate-merged, because your working tree has uncommitted changes')
    expect(project.filesOf('exitgate-merged')).toContain('parts/one')
    expect(project.filesOf('exitgate-merged')).not.toContain('staged.txt')
  })

  it('that conflicts ends the task that depends on both, with the names of the files', LONG, async () => {
    const project = parallelProject([
      { id: 'x', does: same('x') },
      { id: 'y', does: same('y') },
      { id: 'z', does: does('z'), after: ['x', 'y'] },
    ])
    const ran = await project.tasks('--parallel', '2', '--plain')
    expect(ran.code, ran.stdout + ran.stderr).toBe(2)
    expect(project.ends()).toMatchObject({ x: 'completed/passed', y: 'completed/passed', z: 'aborted/fatal' })
    expect(project.record().tasks.z?.end?.reason).toMatch(/exitgate\/y conflicts in same\.txt\. Resolve it in /)
    // Resolve the conflict by hand, and the list can be resumed.
    const { worktree = '' } = project.record().tasks.z ?? {}
    try {
      project.git('-C', worktree, 'merge', 'exitgate/y')
    } catch {
      // The expected conflict.
    }
    project.git('-C', worktree, 'checkout', '--ours', 'same.txt')
    project.git('-C', worktree, 'commit', '-qam', 'both')
    const again = await project.tasks('--parallel', '2', '--plain', '--resume')
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(project.ends()).toMatchObject({ z: 'completed/passed' })
    expect(project.starts('x')).toBe(1)
  })
})
