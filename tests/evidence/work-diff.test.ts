import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { FileDiff } from '../../src/core/file-diff.ts'
import { filesInDiff, IterationDiffs } from '../../src/evidence/iteration-diff.ts'
import { withRenames } from '../../src/evidence/renames.ts'
import { diffOfCommits, diffSince, diffsOfCommits, modesSince, withModes } from '../../src/evidence/work-diff.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { baselineOf } from './baseline-of.ts'

const BIG = 2 * 1024 * 1024 + 1

/** Each file before and after, with its status, numbers, and hunks or the reason why there are none. */
const FILES: readonly (readonly [
  path: string,
  before: string | undefined,
  after: string | undefined,
  status: string,
  added: number,
  removed: number,
  shown: string,
])[] = [
  ['a/new.txt', undefined, 'one\ntwo\n', 'added', 2, 0, '@@ -0,0 +1,2 @@\n+one\n+two\n'],
  ['big.txt', 'x', 'x'.repeat(BIG), 'modified', 0, 0, 'binary, or larger than 2 MB'],
  ['binary', 'a\0b', 'a\0c', 'modified', 0, 0, 'binary, or larger than 2 MB'],
  ['changed.js', 'a\nb\n', 'a\nc\n', 'modified', 1, 1, '@@ -1,2 +1,2 @@\n a\n-b\n+c\n'],
  ['crlf.txt', 'a\n', 'a\r\n', 'modified', 0, 0, 'only line endings, the mode or the file type changed'],
  ['empty', undefined, '', 'added', 0, 0, 'empty'],
  ['end', 'a\nb\n', 'a\nb', 'modified', 1, 1, '@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n'],
  ['gone ü.txt', '-- x\n', undefined, 'deleted', 0, 1, '@@ -1,1 +0,0 @@\n--- x\n'],
  // Git would show no diff of it.
  ['hidden.js', 'old\n', 'new\n', 'modified', 1, 1, '@@ -1,1 +1,1 @@\n-old\n+new\n'],
]
const EXPECTED = FILES.map(([path, , , status, added, removed, shown]) => ({
  path,
  status,
  added,
  removed,
  ...(shown.startsWith('@@') ? { hunks: shown } : { why: shown }),
}))

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-work-diff-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'a'))
  return dir
}

function write(dir: string, which: 1 | 2): void {
  for (const file of FILES)
    if (file[which] === undefined) rmSync(join(dir, file[0]), { force: true })
    else writeFileSync(join(dir, file[0]), file[which])
}

it('between the start and now is made from the files', async () => {
  const dir = folder()
  write(dir, 2)
  const before = Object.fromEntries(FILES.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])))
  // It ignores a file of which only the line endings changed.
  const expected = EXPECTED.filter(({ path }) => path !== 'crlf.txt')
  expect(await diffSince(baselineOf(before), openWorkspace(dir))).toEqual(expected)
})

it('between commits is made from their files, whatever the attributes and settings say', async () => {
  const dir = folder()
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], { cwd: dir, encoding: 'utf8' })
  const program = join(dir, '.git', 'diff')
  git('init', '-q')
  git('config', 'diff.external', program)
  git('config', 'core.autocrlf', 'false')
  writeFileSync(program, `#!/bin/sh\necho ran >> '${dir}/.git/ran'\n`)
  chmodSync(program, 0o755)
  writeFileSync(join(dir, '.gitattributes'), 'hidden.js -diff\n*.txt diff=x -text\n')
  write(dir, 1)
  git('add', '-A')
  git('commit', '-qm', 'before')
  const from = git('rev-parse', 'HEAD').trim()
  write(dir, 2)
  git('add', '-A')
  git('commit', '-qm', 'after: <b>')
  const to = git('rev-parse', 'HEAD').trim()
  expect(await diffOfCommits(dir, from, to)).toEqual(EXPECTED)
  const commits = await diffsOfCommits(dir, from, to, 10)
  expect(commits).toMatchObject([{ commit: to, subject: 'after: <b>', files: EXPECTED }])
  expect((await diffsOfCommits(dir, undefined, to, 10)).map(({ subject, files }) => [subject, files.length])).toEqual([
    ['after: <b>', 9],
    ['before', 8],
  ])
  expect(await diffOfCommits(dir, from, 'f'.repeat(40))).toBeUndefined()
  expect(() => execFileSync('cat', [join(dir, '.git', 'ran')], { stdio: 'ignore' })).toThrow()
})

it('has the modes that git knows, also of files whose content is the same', async () => {
  const dir = folder()
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], { cwd: dir, encoding: 'utf8' })
  const write = (name: string, text: string, mode: number) => {
    writeFileSync(join(dir, name), text)
    chmodSync(join(dir, name), mode)
  }
  git('init', '-q')
  write('run.sh', 'a\n', 0o644)
  write('same.sh', 'a\n', 0o644)
  git('add', '-A')
  git('commit', '-qm', 'before')
  const from = git('rev-parse', 'HEAD').trim()
  write('run.sh', 'b\n', 0o755)
  write('same.sh', 'a\n', 0o755)
  const mode = ['100644', '100755'] as const
  const changed = {
    path: 'run.sh',
    status: 'modified',
    added: 1,
    removed: 1,
    hunks: '@@ -1,1 +1,1 @@\n-a\n+b\n',
  } as const
  const only = { path: 'same.sh', status: 'modified', mode, added: 0, removed: 0, why: 'only the mode changed' }
  expect(withModes([changed], await modesSince(dir, from))).toEqual([{ ...changed, mode }, only])
  git('commit', '-qam', 'after')
  expect(await diffOfCommits(dir, from, 'HEAD')).toEqual([{ ...changed, mode }, only])
  expect(await modesSince(dir, 'f'.repeat(40))).toEqual(new Map())
})

const whole = (path: string, status: 'added' | 'deleted', ...lines: readonly string[]): FileDiff => {
  const n = lines.length
  const [sign, place] = status === 'added' ? ['+', `-0,0 +1,${n}`] : ['-', `-1,${n} +0,0`]
  const [added, removed] = status === 'added' ? [n, 0] : [0, n]
  return { path, status, added, removed, hunks: `@@ ${place} @@\n${lines.map((line) => `${sign}${line}\n`).join('')}` }
}

it.each<[name: string, files: readonly FileDiff[], paired: readonly Partial<FileDiff>[]]>([
  [
    'with the same content',
    [whole('new/a.txt', 'added', 'one', 'two'), whole('old.txt', 'deleted', 'one', 'two')],
    [{ path: 'new/a.txt', from: 'old.txt', status: 'renamed', added: 0, removed: 0 }],
  ],
  [
    'with most of its lines',
    [whole('a', 'deleted', '1', '2', '3'), whole('b', 'added', '1', '2', '4')],
    [
      {
        path: 'b',
        from: 'a',
        status: 'renamed',
        added: 1,
        removed: 1,
        hunks: '@@ -1,3 +1,3 @@\n 1\n 2\n-3\n+4\n',
      },
    ],
  ],
  [
    'that has another content is two files',
    [whole('a', 'deleted', '1', '2', '3'), whole('b', 'added', '7', '8', '9')],
    [{ path: 'a' }, { path: 'b' }],
  ],
  [
    'twice is paired once',
    [whole('a', 'deleted', '1'), whole('b', 'added', '1'), whole('c', 'added', '1')],
    [
      { path: 'b', from: 'a' },
      { path: 'c', status: 'added' },
    ],
  ],
  [
    'without text is two files',
    [
      { path: 'a', status: 'deleted', added: 0, removed: 0, why: 'binary, or larger than 2 MB' },
      { path: 'b', status: 'added', added: 0, removed: 0, why: 'binary, or larger than 2 MB' },
    ],
    [{ path: 'a' }, { path: 'b' }],
  ],
])('a renamed file %s', (_name, files, paired) => {
  expect(withRenames(files)).toMatchObject(paired)
  expect(withRenames(files)).toHaveLength(paired.length)
})

it('of an iteration is stored as text and read back, whatever the files contain', async () => {
  const dir = folder()
  write(dir, 2)
  // These lines look like the start of another file.
  writeFileSync(join(dir, 'forged'), '++ b/evil\ndiff --git a/evil\n')
  writeFileSync(join(dir, 'two\n--- lines'), 'x\n')
  const before = Object.fromEntries(FILES.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])))
  const { files, texts } = await new IterationDiffs().next(
    openWorkspace(dir),
    baselineOf({ ...before, forged: '-- a/evil\n' }),
  )
  const read = filesInDiff(texts.join(''))
  expect(read.map(({ path }) => path)).toEqual(files.map(({ path }) => path.replace('\n', '\u240d')))
  expect(read.map(({ added, removed }) => [added, removed])).toEqual(
    files.map(({ added = 0, removed = 0 }) => [added, removed]),
  )
  const named = (path: string) => read.find((each) => each.path === path)
  for (const path of ['a/new.txt', 'changed.js', 'end', 'gone \u00fc.txt'])
    expect(named(path)).toEqual(EXPECTED.find((each) => each.path === path))
  expect(named('binary')).toMatchObject({ why: 'binary, too large or not kept' })
  expect(named('forged')).toMatchObject({
    hunks: '@@ -1,1 +1,2 @@\n--- a/evil\n+++ b/evil\n+diff --git a/evil\n',
  })
  expect(filesInDiff('')).toEqual([])
})
