import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectGit } from '../../src/evidence/git.ts'

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

const answers = (since?: string) => {
  const { changed, clean } = collectGit(dir, since)
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
    ['a commit taken back', () => [commit('b.txt', 'b'), git('revert', '--no-edit', 'HEAD')], ['no', 'yes']],
  ]
  it.each(rows)('%s', (_name, work, expected) => {
    write('.gitignore', '*.log\n')
    const since = commit('a.txt', 'one')
    work()
    expect(answers(since)).toEqual(expected)
  })

  it('names the files and counts them', () => {
    const since = commit('a.txt', 'one')
    for (const name of ['b', 'c', 'd', 'e e']) write(`${name}.txt`, name)
    const { changed, clean, head } = collectGit(dir, since)
    expect(changed.detail).toContain('b.txt, c.txt, d.txt and 1 more')
    expect(changed.counts).toEqual({ files: 4, created: 4, modified: 0, deleted: 0 })
    expect(clean.counts).toEqual(changed.counts)
    expect(head).toBe(since)
  })
})

it('tells created, modified and deleted files apart, committed or not', () => {
  for (const name of ['a.txt', 'b.txt', 'c.txt']) commit(name, name)
  const since = git('rev-parse', 'HEAD')
  write('a.txt', 'other')
  rmSync(join(dir, 'b.txt'))
  write('d.txt', 'd')
  const expected = { files: 3, created: 1, modified: 1, deleted: 1 }
  expect(collectGit(dir, since).changed.counts).toEqual(expected)
  git('add', '-A')
  expect(collectGit(dir, since).changed.counts).toEqual(expected)
  git('commit', '-q', '-m', 'all')
  expect(collectGit(dir, since).changed.counts).toEqual(expected)
})

describe('without a commit to compare with', () => {
  it('dirt is a change, and a clean tree tells nothing', () => {
    commit('a.txt', 'one')
    expect(answers()).toEqual(['unknown', 'yes'])
    write('a.txt', 'two')
    expect(answers()).toEqual(['yes', 'no'])
  })

  it.each(['0123456789012345678901234567890123456789', '--output=x', 'nonsense'])('%s is not known', (since) => {
    commit('a.txt', 'one')
    expect(answers(since)).toEqual(['unknown', 'yes'])
    expect(existsSync(join(dir, 'x'))).toBe(false)
  })

  it('a repository without commits', () => {
    expect(answers()).toEqual(['unknown', 'yes'])
    write('a.txt', 'x')
    expect(answers()).toEqual(['yes', 'no'])
    expect(collectGit(dir)).not.toHaveProperty('head')
  })
})

describe('since a tree', () => {
  const tree = () => collectGit(dir).tree

  it('work that was dirty before is not new', () => {
    commit('a.txt', 'one')
    write('a.txt', 'two')
    const start = tree()
    expect(answers(start)).toEqual(['no', 'no'])
    write('a.txt', 'three')
    expect(answers(start)).toEqual(['yes', 'no'])
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
  it.each(differences)('%s makes another tree', (_name, work) => {
    commit('a.txt', 'one')
    write('a.txt', 'two')
    const before = tree()
    expect(tree()).toBe(before)
    work()
    expect(tree()).not.toBe(before)
  })

  it('is the same again when the content is', () => {
    commit('a.txt', 'one')
    const start = tree()
    commit('a.txt', 'two')
    expect(tree()).not.toBe(start)
    commit('a.txt', 'one')
    expect(tree()).toBe(start)
  })

  it('stamps both answers', () => {
    commit('a.txt', 'one')
    const { changed, clean, tree: own } = collectGit(dir)
    expect([changed.tree, clean.tree]).toEqual([own, own])
  })

  it('sees a large file change at its end', () => {
    commit('a.txt', 'one')
    write('big.bin', 'x'.repeat(3_000_000))
    const before = tree()
    write('big.bin', `${'x'.repeat(2_999_999)}y`)
    expect(tree()).not.toBe(before)
  })
})

describe('places without an answer', () => {
  it('no repository', () => {
    rmSync(join(dir, '.git'), { recursive: true })
    const { changed, clean, tree } = collectGit(dir)
    expect([changed.answer, clean.answer, tree]).toEqual(['unknown', 'unknown', ''])
    expect(changed.detail).toBe('This is not a git repository.')
  })

  it('no directory', () => {
    expect(collectGit(join(dir, 'nowhere')).changed.answer).toBe('unknown')
  })

  it('a folder that the repository around it ignores', () => {
    write('.gitignore', 'scratch/\n')
    commit('a.txt', 'one')
    mkdirSync(join(dir, 'scratch'))
    write('scratch/b.txt', 'b')
    const { changed } = collectGit(join(dir, 'scratch'))
    expect(changed).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('ignores it') })
  })

  it('no git', () => {
    const path = process.env.PATH
    process.env.PATH = dir
    try {
      expect(collectGit(dir).clean).toMatchObject({ answer: 'unknown', detail: 'Git or the directory is missing.' })
    } finally {
      process.env.PATH = path
    }
  })
})

it('a folder inside a repository looks at itself only', () => {
  mkdirSync(join(dir, 'part'))
  write('part/a.txt', 'a')
  const since = commit('b.txt', 'b')
  write('b.txt', 'changed outside')
  expect(collectGit(join(dir, 'part'), since)).toMatchObject({ changed: { answer: 'no' }, clean: { answer: 'yes' } })
  write('part/a.txt', 'changed inside')
  expect(collectGit(join(dir, 'part'), since)).toMatchObject({ changed: { answer: 'yes' }, clean: { answer: 'no' } })
})

it('our own files are not work', () => {
  const since = commit('a.txt', 'one')
  mkdirSync(join(dir, '.ralph/logs'), { recursive: true })
  write('.ralph/exit-state.json', '{}')
  write('.ralph/logs/x.log', 'x')
  const ignore = ['.ralph/exit-state.json', '.ralph/logs/']
  expect(collectGit(dir, since, { ignore })).toMatchObject({ changed: { answer: 'no' }, clean: { answer: 'yes' } })
  expect(collectGit(dir, since).changed.answer).toBe('yes')
})

it('runs nothing that the repository brings along, and writes nothing', () => {
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
  expect(answers(since)).toEqual(['yes', 'no'])
  expect(existsSync(sprung)).toBe(false)
  expect(readFileSync(join(dir, '.git', 'index')).equals(index)).toBe(true)
})
