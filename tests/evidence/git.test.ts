import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectGit } from '../../src/evidence/git.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'

let dir = ''
const identity = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}
function git(...args: string[]): string {
  const done = spawnSync('git', args, { cwd: dir, encoding: 'utf8', env: { ...process.env, ...identity } })
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`)
  return done.stdout.trim()
}
const write = (name: string, text: string) => writeFileSync(join(dir, name), text)
function commit(name: string, text: string): string {
  write(name, text)
  git('add', '-A')
  git('commit', '-q', '-m', name)
  return git('rev-parse', 'HEAD')
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'exitgate-git-'))
  git('init', '-q')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const answers = async (since?: string) => {
  const { changed, clean } = await collectGit(dir, since)
  return [changed.answer, clean.answer]
}

describe('since a commit', () => {
  const rows: [name: string, work: () => void, expected: [changed: string, clean: string]][] = [
    ['nothing', () => {}, ['no', 'yes']],
    ['a modified file', () => write('a.txt', 'two'), ['yes', 'no']],
    ['an untracked file', () => write('new.txt', 'x'), ['yes', 'no']],
    ['a staged file', () => [write('new.txt', 'x'), git('add', '-A')], ['yes', 'no']],
    ['a deleted file', () => rmSync(join(dir, 'a.txt')), ['yes', 'no']],
    ['a commit', () => commit('b.txt', 'b'), ['yes', 'yes']],
    ['a commit and more', () => [commit('b.txt', 'b'), write('c.txt', 'c')], ['yes', 'no']],
    ['an empty commit', () => git('commit', '-q', '--allow-empty', '-m', 'nothing'), ['no', 'yes']],
    ['an ignored file', () => write('x.log', 'x'), ['no', 'yes']],
    ['names with spaces, quotes and umlauts', () => write('ä "b" c.txt', 'x'), ['yes', 'no']],
    ['a rename', () => git('mv', 'a.txt', 'z.txt'), ['yes', 'no']],
    ['a reverted commit', () => [commit('b.txt', 'b'), git('revert', '--no-edit', 'HEAD')], ['no', 'yes']],
    [
      'a replacement for the first commit',
      () => {
        const first = git('rev-parse', 'HEAD')
        const second = commit('a.txt', 'two')
        git('reset', '-q', '--soft', first)
        git('replace', first, second)
      },
      ['yes', 'no'],
    ],
  ]
  it.each(rows)('%s', async (_name, work, expected) => {
    write('.gitignore', '*.log\n')
    const since = commit('a.txt', 'one')
    work()
    expect(await answers(since)).toEqual(expected)
  })

  it('lists and counts the files', async () => {
    const since = commit('a.txt', 'one')
    for (const name of ['b', 'c', 'd', 'e e']) write(`${name}.txt`, name)
    const { changed, clean, head } = await collectGit(dir, since)
    expect(changed.detail).toContain('b.txt, c.txt, d.txt and 1 more')
    expect(changed.counts).toEqual({ files: 4, created: 4, modified: 0, deleted: 0 })
    expect(clean.counts).toEqual(changed.counts)
    expect(head).toBe(since)
  })
})

it('distinguishes created, modified and deleted files, committed or not', async () => {
  for (const name of ['a.txt', 'b.txt', 'c.txt']) commit(name, name)
  const since = git('rev-parse', 'HEAD')
  write('a.txt', 'other')
  rmSync(join(dir, 'b.txt'))
  write('d.txt', 'd')
  const expected = { files: 3, created: 1, modified: 1, deleted: 1 }
  expect((await collectGit(dir, since)).changed.counts).toEqual(expected)
  git('add', '-A')
  expect((await collectGit(dir, since)).changed.counts).toEqual(expected)
  git('commit', '-q', '-m', 'all')
  expect((await collectGit(dir, since)).changed.counts).toEqual(expected)
})

describe('without a commit to compare with', () => {
  it('a dirty tree is a change, and a clean tree is unknown', async () => {
    commit('a.txt', 'one')
    expect(await answers()).toEqual(['unknown', 'yes'])
    write('a.txt', 'two')
    expect(await answers()).toEqual(['yes', 'no'])
  })

  it.each(['0123456789012345678901234567890123456789', '--output=x', 'nonsense'])('%s is unknown', async (since) => {
    commit('a.txt', 'one')
    expect(await answers(since)).toEqual(['unknown', 'yes'])
    expect(existsSync(join(dir, 'x'))).toBe(false)
  })

  it('a repository without commits', async () => {
    expect(await answers()).toEqual(['unknown', 'yes'])
    write('a.txt', 'x')
    expect(await answers()).toEqual(['yes', 'no'])
    expect(await collectGit(dir)).not.toHaveProperty('head')
  })
})

describe('since a tree', () => {
  const tree = async () => (await collectGit(dir)).tree

  it('files that were dirty before are not new work', async () => {
    commit('a.txt', 'one')
    write('a.txt', 'two')
    const start = await tree()
    expect(await answers(start)).toEqual(['no', 'no'])
    write('a.txt', 'three')
    expect(await answers(start)).toEqual(['yes', 'no'])
  })

  const differences: [name: string, work: () => void][] = [
    ['content', () => write('a.txt', 'two!')],
    ['a new file', () => write('b.txt', '')],
    ['staging', () => git('add', 'a.txt')],
    ['committing', () => git('commit', '-qam', 'x')],
    ['taking it back', () => git('checkout', '-q', 'a.txt')],
    ['deleting', () => rmSync(join(dir, 'a.txt'))],
    ['the executable bit', () => chmodSync(join(dir, 'a.txt'), 0o755)],
  ]
  it.each(differences)('%s makes another tree', async (_name, work) => {
    commit('a.txt', 'one')
    write('a.txt', 'two')
    const before = await tree()
    expect(await tree()).toBe(before)
    work()
    expect(await tree()).not.toBe(before)
  })

  it('is the same again if the content is', async () => {
    commit('a.txt', 'one')
    const start = await tree()
    commit('a.txt', 'two')
    expect(await tree()).not.toBe(start)
    commit('a.txt', 'one')
    expect(await tree()).toBe(start)
  })

  it('adds the tree to both answers', async () => {
    commit('a.txt', 'one')
    const { changed, clean, tree: own } = await collectGit(dir)
    expect([changed.tree, clean.tree]).toEqual([own, own])
  })

  it('detects a change at the end of a large file', async () => {
    commit('a.txt', 'one')
    write('big.bin', 'x'.repeat(3_000_000))
    const before = await tree()
    write('big.bin', `${'x'.repeat(2_999_999)}y`)
    expect(await tree()).not.toBe(before)
  })
})

describe('places without an answer', () => {
  it('no repository', async () => {
    rmSync(join(dir, '.git'), { recursive: true })
    const { changed, clean, tree } = await collectGit(dir)
    expect([changed.answer, clean.answer, tree]).toEqual(['unknown', 'unknown', ''])
    expect(changed.detail).toBe('This is not a git repository.')
  })

  it('no directory', async () => {
    expect((await collectGit(join(dir, 'nowhere'))).changed.answer).toBe('unknown')
  })

  it('a folder that the surrounding repository ignores', async () => {
    write('.gitignore', 'scratch/\n')
    commit('a.txt', 'one')
    mkdirSync(join(dir, 'scratch'))
    write('scratch/b.txt', 'b')
    const { changed } = await collectGit(join(dir, 'scratch'))
    expect(changed).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('ignores this directory') })
  })

  it('no git', async () => {
    const path = process.env.PATH
    process.env.PATH = dir
    try {
      expect((await collectGit(dir)).clean).toMatchObject({
        answer: 'unknown',
        detail: 'git is not installed, or the directory does not exist.',
      })
    } finally {
      process.env.PATH = path
    }
  })
})

it('in a folder of a repository, only the folder counts', async () => {
  mkdirSync(join(dir, 'part'))
  write('part/a.txt', 'a')
  const since = commit('b.txt', 'b')
  write('b.txt', 'changed outside')
  expect(await collectGit(join(dir, 'part'), since)).toMatchObject({
    changed: { answer: 'no' },
    clean: { answer: 'yes' },
  })
  write('part/a.txt', 'changed inside')
  expect(await collectGit(join(dir, 'part'), since)).toMatchObject({
    changed: { answer: 'yes' },
    clean: { answer: 'no' },
  })
})

it('our own files are not work', async () => {
  const since = commit('a.txt', 'one')
  mkdirSync(join(dir, '.ralph/logs'), { recursive: true })
  write('.ralph/exit-state.json', '{}')
  write('.ralph/logs/x.log', 'x')
  const ignore = ['.ralph/exit-state.json', '.ralph/logs/']
  expect(await collectGit(dir, since, { ignore })).toMatchObject({
    changed: { answer: 'no' },
    clean: { answer: 'yes' },
  })
  expect((await collectGit(dir, since)).changed.answer).toBe('yes')
})

it('runs nothing from the repository, and writes nothing', async () => {
  const since = commit('a.txt', 'one')
  const trap = join(dir, '.git', 'trap.sh')
  writeFileSync(trap, `#!/bin/sh\ntouch "${join(dir, '.git', 'sprung')}"\n`, { mode: 0o755 })
  for (const setting of ['core.fsmonitor', 'core.pager', 'diff.external']) git('config', setting, trap)
  commit('b.txt', 'b')
  const sprung = join(dir, '.git', 'sprung')
  expect(existsSync(sprung)).toBe(true)
  rmSync(sprung)
  write('a.txt', 'two')
  const index = readFileSync(join(dir, '.git', 'index'))
  expect(await answers(since)).toEqual(['yes', 'no'])
  expect(existsSync(sprung)).toBe(false)
  expect(readFileSync(join(dir, '.git', 'index')).equals(index)).toBe(true)
})

describe('work that is hidden from git', () => {
  it('is detected', async () => {
    commit('a.txt', 'one')
    git('update-index', '--assume-unchanged', 'a.txt')
    const { tree: before } = await collectGit(dir)
    write('a.txt', 'two')
    const { tree, clean, changed } = await collectGit(dir, before)
    expect(git('status', '--porcelain')).toBe('')
    expect(tree).not.toBe(before)
    expect(changed.answer).toBe('yes')
    expect(clean).toMatchObject({ answer: 'unknown', detail: 'Git is set to treat these as unchanged: a.txt.' })
  })

  it('by leaving a file out of the checkout', async () => {
    commit('a.txt', 'one')
    const { tree: before } = await collectGit(dir)
    git('update-index', '--skip-worktree', 'a.txt')
    rmSync(join(dir, 'a.txt'))
    const { tree, clean } = await collectGit(dir, before)
    expect(git('status', '--porcelain')).toBe('')
    expect(tree).not.toBe(before)
    expect(clean.answer).toBe('unknown')
  })

  it('does not include files outside a sparse checkout', async () => {
    mkdirSync(join(dir, 'part'))
    commit('part/a.txt', 'one')
    mkdirSync(join(dir, 'other'))
    const since = commit('other/b.txt', 'two')
    git('sparse-checkout', 'set', 'part')
    expect(existsSync(join(dir, 'other'))).toBe(false)
    expect(await answers(since)).toEqual(['no', 'yes'])
  })

  it.each([
    ['another tree', ['core.worktree', '/']],
    ['no tree', ['core.bare', 'true']],
  ])('by pointing git to %s', async (_name, setting) => {
    const since = commit('a.txt', 'one')
    write('a.txt', 'two')
    git('config', ...setting)
    expect(await answers(since)).toEqual(['yes', 'no'])
    expect(await openWorkspace(dir).list()).toEqual(['a.txt'])
  })

  it('by resetting the time of a file', async () => {
    git('config', 'core.trustctime', 'false')
    git('config', 'core.checkStat', 'minimal')
    write('a.txt', 'one')
    const past = new Date(1_000_000_000_000)
    utimesSync(join(dir, 'a.txt'), past, past)
    const since = commit('b.txt', 'b')
    // Git compares whole seconds, and the ctime of a file can't be reset.
    const second = (path: string) => Math.floor(statSync(join(dir, path)).ctimeMs / 1000)
    const later = () => {
      write('.git/probe', '')
      return second('.git/probe')
    }
    await expect.poll(later).toBeGreaterThan(second('a.txt'))
    write('a.txt', 'two')
    utimesSync(join(dir, 'a.txt'), past, past)
    expect(git('--no-optional-locks', 'status', '--porcelain')).toBe('')
    expect(await answers(since)).toEqual(['yes', 'no'])
  })

  it.each(['a submodule', 'a repository that this one does not know'])('in %s', async (kind) => {
    const since = commit('a.txt', 'one')
    const inner = join(dir, 'inner')
    git('init', '-q', inner)
    const inside = (...args: string[]) => git('-C', inner, ...args)
    writeFileSync(join(inner, 'x.txt'), 'x')
    inside('add', '-A')
    inside('commit', '-qm', 'x')
    if (kind === 'a submodule') {
      git('add', 'inner')
      git('commit', '-qm', 'inner')
    }
    const trees = [(await collectGit(dir)).tree]
    for (const text of ['y', 'z']) {
      writeFileSync(join(inner, 'x.txt'), text)
      trees.push((await collectGit(dir)).tree)
    }
    expect(new Set(trees).size).toBe(3)
    expect((await collectGit(dir, since)).changed.answer).toBe('yes')
  })

  it('in a submodule, without the programs that its own configuration names', async () => {
    commit('a.txt', 'one')
    const inner = join(dir, 'inner')
    git('init', '-q', inner)
    const inside = (...args: string[]) => git('-C', inner, ...args)
    writeFileSync(join(inner, 'x.txt'), 'x')
    writeFileSync(join(inner, '.gitattributes'), '* filter=mine\n')
    inside('add', '-A')
    inside('commit', '-qm', 'x')
    git('add', 'inner')
    git('commit', '-qm', 'inner')
    const started = `${dir}-started`
    inside('config', 'filter.mine.clean', `touch '${started}'; cat`)
    // Of the same size, so that git compares the content.
    writeFileSync(join(inner, 'x.txt'), 'y')
    const { clean, changed } = await collectGit(dir, git('rev-parse', 'HEAD').trim())
    await openWorkspace(dir).git(['diff', '--name-only', 'HEAD'])
    expect([clean.answer, changed.answer]).toEqual(['no', 'yes'])
    expect(existsSync(started)).toBe(false)
    rmSync(started, { force: true })
  })
})
