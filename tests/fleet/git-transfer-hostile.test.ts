import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publishWork } from '../../src/fleet/git-transfer/publish.ts'
import { checkRemote } from '../../src/fleet/git-transfer/remote.ts'
import { restoreWork } from '../../src/fleet/git-transfer/restore.ts'
import { pushResult } from '../../src/fleet/git-transfer/result.ts'
import { COMMITTER, env, git, newPlace, project, shown, write } from './git-transfer-place.ts'

const HELPER = 'uses a remote helper, which would run commands. Use https://, ssh:// or file://.'
const LOGIN = 'has a login in its address. Remove it, and set up a git credential helper on the workers.'
const PASSWORD = 'has a password in its address. Remove it, and give the workers an SSH key.'

describe('the address of a repository', () => {
  it.each([
    'https://example.org/team/project.git',
    'https://example.org:8443/project',
    'ssh://git@example.org:2222/project.git',
    'ssh://example.org/~me/project',
    'git@example.org:team/project.git',
    'example.org:project',
    'file:///srv/git/project.git',
    '/srv/git/project.git',
  ])('%s is accepted', (remote) => {
    expect(checkRemote(remote)).toBeUndefined()
  })

  it.each([
    ['ext::sh -c "touch /tmp/x"', 'ext::sh -c "touch /tmp/x"', HELPER],
    ['fd::17', 'fd::17', HELPER],
    [
      '--upload-pack=touch x',
      '--upload-pack=touch x',
      'starts with "-", so git would read it as an option. Use its URL.',
    ],
    ['-oProxyCommand=x', '-oProxyCommand=x', 'starts with "-", so git would read it as an option. Use its URL.'],
    [
      'ssh://-oProxyCommand=x/y',
      'ssh://-oProxyCommand=x/y',
      'has a host name that ssh would read as an option. Correct the address.',
    ],
    [
      'ssh://git@-oProxyCommand=x/y',
      'ssh://[redacted]@-oProxyCommand=x/y',
      'has a host name that ssh would read as an option. Correct the address.',
    ],
    ['-oProxyCommand=x:y', '-oProxyCommand=x:y', 'starts with "-", so git would read it as an option. Use its URL.'],
    [
      'git@-oProxyCommand=x:y',
      'git@-oProxyCommand=x:y',
      'has a part that ssh would read as an option. Correct the address.',
    ],
    ['http://example.org/x', 'http://example.org/x', 'uses http://. Use https://, ssh:// or file://.'],
    ['git://example.org/x', 'git://example.org/x', 'uses git://. Use https://, ssh:// or file://.'],
    ['EXT::x', 'EXT::x', HELPER],
    ['https://me:s3cret@example.org/x', 'https://[redacted]@example.org/x', LOGIN],
    ['https://token@example.org/x', 'https://[redacted]@example.org/x', LOGIN],
    ['ssh://me:s3cret@example.org/x', 'ssh://[redacted]@example.org/x', PASSWORD],
    ['../project', '../project', 'is not an address every worker can reach. Use its URL or an absolute path.'],
    ['', '', 'is not an address every worker can reach. Use its URL or an absolute path.'],
    ['/srv/x\nfile:///y', '/srv/x\nfile:///y', 'has control characters in its address. Remove them.'],
  ])('%j is rejected', (remote, shownAs, why) => {
    expect(() => checkRemote(remote)).toThrow(`the repository ${JSON.stringify(shownAs)} ${why}`)
  })

  it.each(['--upload-pack=x', 'a..b', '', 'main:evil', '+main', 'a b', '-x'])(
    'the base %j is rejected',
    async (base) => {
      const { remote, place } = await project()
      const dir = join(place, 'other')
      const asked = restoreWork(dir, { remote, env, from: { base, branch: 'exitgate/x' } })
      await expect(asked).rejects.toThrow(/is not a valid name of a branch|has no branch or tag/)
      expect(existsSync(dir)).toBe(false)
    },
  )
})

/** An index with a path git itself would never write. */
function forgeIndex(dir: string, from: string, to: string): void {
  write(dir, from, '#!/bin/sh\n')
  git(dir, 'update-index', '--add', from)
  const file = join(dir, '.git', 'index')
  const bytes = Buffer.from(readFileSync(file, 'latin1').replace(from, to), 'latin1')
  createHash('sha1')
    .update(bytes.subarray(0, -20))
    .digest()
    .copy(bytes, bytes.length - 20)
  writeFileSync(file, bytes)
}

describe('a hostile agent', () => {
  it('can run nothing and send nothing through the settings and hooks of its clone', async () => {
    const { remote, work, place, cache } = await project({ 'a.txt': 'one\n', '.gitattributes': '*.txt filter=evil\n' })
    const [mark, thief] = [join(place, 'mark'), join(place, 'thief.git')]
    const evil = join(place, 'evil.sh')
    writeFileSync(evil, `#!/bin/sh\necho ran >> '${mark}'\ncat\n`, { mode: 0o755 })
    git(place, 'init', '-q', '--bare', thief)
    mkdirSync(join(work, '.git', 'hooks'), { recursive: true })
    for (const hook of ['pre-push', 'post-index-change', 'reference-transaction', 'post-checkout', 'pre-commit'])
      writeFileSync(join(work, '.git', 'hooks', hook), `#!/bin/sh\necho ${hook} >> '${mark}'\n`, { mode: 0o755 })
    const settings = {
      'filter.evil.clean': evil,
      'filter.evil.smudge': evil,
      'filter.evil.required': 'true',
      'core.fsmonitor': evil,
      'core.sshCommand': evil,
      'core.gitProxy': evil,
      'credential.helper': evil,
      'core.askPass': evil,
      'diff.external': evil,
      'gpg.program': evil,
      'commit.gpgSign': 'true',
      [`url.${thief}.insteadOf`]: remote,
      [`url.${thief}.pushInsteadOf`]: remote,
      'remote.origin.receivepack': evil,
      'remote.origin.uploadpack': evil,
      'uploadpack.packObjectsHook': evil,
      'core.alternateRefsCommand': evil,
      'core.hooksPath': join(work, '.git', 'hooks'),
    }
    write(work, 'a.txt', 'two\n')
    write(work, 'new.txt', 'new\n')
    for (const [key, value] of Object.entries(settings)) git(work, 'config', key, value)
    rmSync(mark, { force: true })

    const published = await publishWork(work, { remote, run: 'r', epoch: 1, env })
    const result = await pushResult(work, { remote, branch: 'exitgate/task', message: 'done', env })
    const other = join(place, 'other')
    await restoreWork(other, { remote, cache, env, from: published })
    expect(existsSync(mark)).toBe(false)
    expect(git(thief, 'for-each-ref')).toBe('')
    expect(git(remote, 'for-each-ref', '--format=%(refname)', 'refs/heads').trim().split('\n')).toEqual([
      `refs/heads/${result?.branch}`,
      'refs/heads/main',
    ])
    expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('two\n')
    expect(git(remote, 'show', `${result?.commit}:a.txt`)).toBe('two\n')
  })

  it.each(['.git/hooks/x', '../../hooks/x', '.GIT/hooks/x'])('an index with %s writes nothing there', async (to) => {
    const { remote, work, place } = await project()
    forgeIndex(work, `${'x'.repeat(to.length - 6)}/hooks`, to)
    expect(git(work, 'ls-files')).toContain(to)
    const published = await publishWork(work, { remote, run: 'r', epoch: 1, env })
    const other = join(place, 'deep/er/other')
    await restoreWork(other, { remote, env, from: published })
    expect(git(other, 'ls-files')).toBe('a.txt\n')
    expect(existsSync(join(other, to))).toBe(false)
  })

  it('a commit that contains a folder called .git is not published', async () => {
    const { remote, work } = await project()
    const blob = git(work, 'hash-object', '-w', 'a.txt').trim()
    const made = (lines: string) =>
      spawnSync('git', ['mktree'], { cwd: work, env, input: lines, encoding: 'utf8' }).stdout.trim()
    const tree = made(`040000 tree ${made(`100755 blob ${blob}\tpost-checkout\n`)}\t.git\n`)
    const commit = git(work, ...COMMITTER, 'commit-tree', '-m', 'evil', tree).trim()
    git(work, 'update-ref', 'refs/heads/exitgate/task', commit)
    await expect(publishWork(work, { remote, run: 'r', epoch: 1, env })).rejects.toThrow(/invalid path '\.git/)
  })

  it('a link stays a link, and nothing is written through it', async () => {
    const { remote, work, place } = await project({ 'a.txt': 'one\n', 'dir/b.txt': 'b\n' })
    const outside = newPlace()
    rmSync(join(work, 'dir'), { recursive: true })
    symlinkSync(outside, join(work, 'dir'))
    const published = await publishWork(work, { remote, run: 'r', epoch: 1, env })
    const other = join(place, 'other')
    await restoreWork(other, { remote, env, from: published })
    expect(shown(other)).toEqual(shown(work))
    expect(existsSync(join(outside, 'b.txt'))).toBe(false)
  })

  it('work whose ref was moved in the remote is rejected', async () => {
    const { remote, work, place } = await project()
    const published = await publishWork(work, { remote, run: 'r', epoch: 1, env })
    git(remote, 'update-ref', published.ref, 'refs/heads/main')
    const asked = restoreWork(join(place, 'other'), { remote, env, from: published })
    await expect(asked).rejects.toThrow('has changed since the work was published')
    expect(existsSync(join(place, 'other'))).toBe(false)
  })

  it('damages no other clone, and a damaged cache is rebuilt', async () => {
    const { remote, work, place, cache } = await project()
    const packOf = (dir: string) => git(dir, 'rev-parse', '--git-path', 'objects/pack').trim()
    expect(existsSync(join(work, '.git/objects/info/alternates'))).toBe(false)
    const mirror = join(cache, readdirSync(cache)[0] ?? '')
    const names = readdirSync(join(mirror, 'objects/pack'))
    for (const name of names)
      expect(statSync(join(work, packOf(work), name)).ino).not.toBe(statSync(join(mirror, 'objects/pack', name)).ino)
    rmSync(join(mirror, 'objects'), { recursive: true })
    const other = join(place, 'other')
    await restoreWork(other, { remote, cache, env, from: { branch: 'exitgate/task' } })
    expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('a workspace without its repository gives an error', async () => {
    const { remote, work } = await project()
    rmSync(join(work, '.git'), { recursive: true })
    const asked = publishWork(work, { remote, run: 'r', epoch: 1, env })
    await expect(asked).rejects.toThrow(`The workspace ${work} is no longer a git repository`)
  })

  it("the worker's environment does not affect git, and its login is not shown", async () => {
    const { remote, work, place } = await project()
    const led = { ...env, GIT_DIR: join(place, 'nowhere'), GIT_INDEX_FILE: '/dev/null', GIT_WORK_TREE: '/' }
    const published = await publishWork(work, { remote, run: 'r', epoch: 1, env: led })
    await restoreWork(join(place, 'other'), { remote, env: led, from: published })
    expect(shown(join(place, 'other'))).toEqual(shown(work))
    const rewritten = {
      ...env,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'url.https://nobody:s3cret@127.0.0.1:1/.insteadOf',
      GIT_CONFIG_VALUE_0: '/srv/',
    }
    const failed = publishWork(work, { remote: '/srv/x.git', run: 'r', epoch: 1, env: rewritten })
    await expect(failed).rejects.toThrow(/^cannot publish the work: fatal: (?!.*s3cret)/)
  })
})
