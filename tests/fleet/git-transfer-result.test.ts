import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clearWork } from '../../src/fleet/finish.ts'
import { publishWork } from '../../src/fleet/git-transfer/publish.ts'
import { restoreWork } from '../../src/fleet/git-transfer/restore.ts'
import { pushResult } from '../../src/fleet/git-transfer/result.ts'
import { COMMITTER, env, git, project, write } from './git-transfer-place.ts'

const options = (remote: string, branch = 'exitgate/task') => ({ remote, branch, message: 'The task', env })
const log = (remote: string, branch: string) => git(remote, 'log', '--format=%s', branch).trim().split('\n')

describe('the branch of a result', () => {
  it.each([
    ['what the agent committed', true, false, ['second', 'first']],
    ['what it did not commit', false, true, ['The task', 'first']],
    ['both', true, true, ['The task', 'second', 'first']],
  ] as const)('holds %s', async (_, commits, leaves, subjects) => {
    const { remote, work } = await project()
    if (commits) {
      write(work, 'b.txt', 'two\n')
      git(work, 'add', '-A')
      git(work, ...COMMITTER, 'commit', '-qm', 'second')
    }
    if (leaves) write(work, 'c.txt', 'three\n')
    const before = git(work, 'status', '--porcelain')
    const one = await pushResult(work, options(remote))
    const again = await pushResult(work, options(remote))
    expect(one?.branch).toBe('exitgate/task')
    expect(again).toEqual(one)
    expect(log(remote, 'exitgate/task')).toEqual(subjects)
    expect(git(work, 'status', '--porcelain')).toBe(before)
  })

  it('does not exist if nothing changed', async () => {
    const { remote, work } = await project()
    expect(await pushResult(work, options(remote))).toBeUndefined()
    expect(git(remote, 'for-each-ref', '--format=%(refname)').trim()).toBe('refs/heads/main')
  })

  it("gets another name if that branch has someone else's commits", async () => {
    const { remote, work } = await project()
    write(work, 'b.txt', 'theirs\n')
    const theirs = await pushResult(work, options(remote))
    rmSync(join(work, 'b.txt'))
    write(work, 'c.txt', 'ours\n')
    const ours = await pushResult(work, options(remote))
    expect([theirs?.branch, ours?.branch]).toEqual(['exitgate/task', 'exitgate/task-2'])
    expect(git(remote, 'rev-parse', 'exitgate/task').trim()).toBe(theirs?.commit)
  })

  it('reports a branch whose name conflicts, and rejects names git would reject', async () => {
    const { remote, work } = await project()
    write(work, 'b.txt', 'x')
    git(remote, 'branch', 'team', 'main')
    await expect(pushResult(work, options(remote, 'team/task'))).rejects.toThrow(
      `The branch team of ${remote} conflicts with the name team/task. Rename it.`,
    )
    const odd = await pushResult(work, options(remote, 'exitgate/Fix: the ..~^ thing.lock'))
    expect(odd?.branch).toBe('exitgate/Fix-the-.-thing')
  })

  it('is not pushed with Git LFS pointers', async () => {
    const { remote, work } = await project()
    write(work, 'big.bin', `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`)
    await expect(pushResult(work, options(remote))).rejects.toThrow(
      "The work stores big.bin in Git LFS, and LFS content can't be pushed. Keep it out of LFS.",
    )
  })

  it('starts at the base: a branch, a tag, a commit, or the default branch', async () => {
    const { remote, work, place, cache } = await project()
    const first = git(work, 'rev-parse', 'HEAD').trim()
    write(work, 'a.txt', 'two\n')
    git(work, ...COMMITTER, 'commit', '-qam', 'second')
    git(work, 'push', '-q', 'origin', 'HEAD:refs/heads/feature/x')
    git(remote, 'tag', 'v1', 'main')
    const rows: [string | undefined, string][] = [
      [undefined, 'one\n'],
      ['main', 'one\n'],
      ['v1', 'one\n'],
      [first, 'one\n'],
      ['feature/x', 'two\n'],
    ]
    for (const [at, [base, text]] of rows.entries()) {
      const dir = join(place, `from-${at}`)
      const from = { branch: 'exitgate/t', ...(base !== undefined && { base }) }
      const { branch } = await restoreWork(dir, { remote, cache, env, from })
      expect([base, branch, readFileSync(join(dir, 'a.txt'), 'utf8')]).toEqual([base, 'exitgate/t', text])
    }
    const gone = restoreWork(join(place, 'gone'), { remote, cache, env, from: { branch: 'x', base: 'nowhere' } })
    await expect(gone).rejects.toThrow(`${remote} has no branch or tag nowhere`)
  })
})

describe('a clone', () => {
  it.each([
    [{}, 'exitgate <exitgate@localhost>'],
    [{ 'user.name': 'Ä B', 'user.email': 'a@b.c' }, 'Ä B <a@b.c>'],
  ])("has an author even without the worker's home: %j", async (settings, author) => {
    const { remote, place } = await project()
    const global = join(place, 'gitconfig')
    write(place, 'gitconfig', '')
    for (const [key, value] of Object.entries(settings)) git(place, 'config', '-f', global, key, value)
    const dir = join(place, 'clone')
    await restoreWork(dir, { remote, env: { ...env, GIT_CONFIG_GLOBAL: global }, from: { branch: 'exitgate/t' } })
    git(dir, 'commit', '-q', '--allow-empty', '-m', 'x')
    expect(
      Buffer.from(git(dir, 'log', '-1', '--format=%an <%ae>'), 'latin1')
        .toString()
        .trim(),
    ).toBe(author)
    expect(git(dir, 'config', 'remote.origin.url').trim()).toBe(remote)
  })
})

describe('the refs of a run', () => {
  it('are removed, one or all of them, but never those of other runs', async () => {
    const { remote, work } = await project()
    const first = await publishWork(work, { remote, run: 'r1', epoch: 1, env })
    write(work, 'b.txt', 'x')
    const second = await publishWork(work, { remote, run: 'r1', epoch: 2, env })
    const other = await publishWork(work, { remote, run: 'r10', epoch: 1, env })
    const refs = () => git(remote, 'for-each-ref', '--format=%(refname)', 'refs/exitgate').trim().split('\n').sort()
    expect(refs()).toEqual([first.ref, second.ref, other.ref].sort())
    expect(await clearWork({ remote, run: 'r1', only: first.ref, env })).toBe(1)
    expect(refs()).toEqual([second.ref, other.ref].sort())
    expect(await clearWork({ remote, run: 'r1', env })).toBe(1)
    expect(await clearWork({ remote, run: 'r1', env })).toBe(0)
    expect(refs()).toEqual([other.ref])
  })
})
