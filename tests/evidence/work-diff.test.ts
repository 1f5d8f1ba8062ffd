import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { diffOfCommits, diffSince, diffsOfCommits } from '../../src/evidence/work-diff.ts'
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
    ['after: <b>', 8],
    ['before', 7],
  ])
  expect(await diffOfCommits(dir, from, 'f'.repeat(40))).toBeUndefined()
  expect(() => execFileSync('cat', [join(dir, '.git', 'ran')], { stdio: 'ignore' })).toThrow()
})
