import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { type GitCheckOptions, gitCheck } from '../../src/evidence/checks/git.ts'
import { collectGit } from '../../src/evidence/git.ts'
import type { Baseline, CheckContext } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { fakeWorkspace } from '../fakes/workspace.ts'
import { folder, git, repository } from './folders.ts'

async function ask(workspace: CheckContext['workspace'], options?: GitCheckOptions, baseline?: Partial<Baseline>) {
  const context = { workspace, claim: false, tree: '', taskTexts: [], deadlineMs: 60_000 }
  const given = baseline === undefined ? {} : { baseline: baseline as Baseline }
  const [changed, clean] = await gitCheck(options).collect({ ...context, ...given })
  return { changed: changed!, clean: clean! }
}
const write = (dir: string, name: string, text: string) => writeFileSync(join(dir, name), text)

describe('the git check', () => {
  it('covers the run since its start, and mentions what changed in this iteration', async () => {
    const dir = repository({ a: '1' })
    const workspace = openWorkspace(dir)
    const runStart = (await collectGit(workspace)).tree
    write(dir, 'a', '2')
    const iterationStart = (await collectGit(workspace)).tree
    const before = await ask(workspace, { runStart, iterationStart })
    expect(before.changed).toMatchObject({ answer: 'yes', detail: 'Changed: a. None of it in this iteration.' })
    write(dir, 'b', '3')
    const after = await ask(workspace, { runStart, iterationStart })
    expect(after.changed.detail).toBe('Changed: a, b. Some of it in this iteration.')
    expect(after.clean.answer).toBe('no')
  })

  it('answers no if nothing has changed in the run', async () => {
    const dir = repository({ a: '1' })
    const head = git(dir, 'rev-parse', 'HEAD')
    const { changed, clean } = await ask(openWorkspace(dir), { runStart: head, iterationStart: head })
    expect([changed.answer, clean.answer]).toEqual(['no', 'yes'])
    expect(changed.detail).toBe('No changes since the start.')
  })

  it('starts from the baseline by default', async () => {
    const dir = repository({ a: '1' })
    write(dir, 'a', 'dirty before the run')
    const workspace = openWorkspace(dir)
    const { tree } = await collectGit(workspace)
    expect((await ask(workspace, {}, { tree })).changed.answer).toBe('no')
    expect((await ask(workspace, {}, { tree: '', head: git(dir, 'rev-parse', 'HEAD') })).changed.answer).toBe('yes')
    expect((await ask(workspace)).changed.answer).toBe('yes')
  })

  it('does not list files that were dirty before the run, when the agent claims to be done', async () => {
    const dir = repository({ a: '1' })
    write(dir, 'PROMPT.md', 'Repair the kettle.')
    const workspace = openWorkspace(dir)
    const { tree } = await collectGit(workspace)
    const input = { workspace, commands: [], evidence: {}, tree, at: 1 }
    const baseline = await takeBaseline(input, folder())
    write(dir, 'a', '2')
    const [changed] = await gitCheck().collect({
      workspace,
      baseline,
      claim: true,
      tree: '',
      taskTexts: [],
      deadlineMs: 60_000,
    })
    expect(changed?.detail).toBe('Changed: a.')
  })

  it('ignores our own files', async () => {
    const dir = repository({ a: '1' })
    write(dir, 'status.json', '{}')
    const { clean } = await ask(openWorkspace(dir), { ignore: ['status.json'] })
    expect(clean.answer).toBe('yes')
  })

  it.each([
    ['no repository', () => openWorkspace(folder({ a: '1' })), 'This is not a git repository.'],
    [
      'no git',
      () => openWorkspace(repository(), { env: { PATH: '/nowhere' } }),
      'git is not installed, or the directory does not exist.',
    ],
    ['a fake without git', () => fakeWorkspace(), 'git is not installed, or the directory does not exist.'],
  ])('is unknown with %s', async (_name, open, detail) => {
    const { changed, clean } = await ask(open())
    expect([changed.answer, clean.answer]).toEqual(['unknown', 'unknown'])
    expect(changed.detail).toBe(detail)
  })

  it('is unknown if the history is gone', async () => {
    const dir = repository({ a: '1' })
    const { changed } = await ask(openWorkspace(dir), { runStart: '0123456789012345678901234567890123456789' })
    expect(changed).toMatchObject({ answer: 'unknown' })
    expect(changed.detail).toContain('is not in this repository')
  })
})
