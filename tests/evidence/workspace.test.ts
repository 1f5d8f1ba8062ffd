import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { knownIndex } from '../../src/evidence/git-index.ts'
import { outputOf } from '../../src/evidence/git-status.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { folder, git, repository, writeFiles } from './folders.ts'

const list = (dir: string) => openWorkspace(dir, { reuseIndex: true }).list()

/** Pretends that the look is at another time: ten seconds from now, every file has settled. */
async function lookLater(dir: string, at = Date.now() + 10_000): Promise<readonly string[]> {
  const now = Date.now
  Date.now = () => at
  try {
    return (await openWorkspace(dir, { reuseIndex: true }).look?.()) ?? []
  } finally {
    Date.now = now
  }
}

describe('the list', () => {
  const rows: [name: string, prepare: () => string, expected: readonly string[]][] = [
    ['of an empty folder', () => folder(), []],
    ['of an empty repository', () => repository(), []],
    ['of a folder that is not there', () => join(folder(), 'nowhere'), []],
    [
      'has tracked, changed, staged and untracked files, and none that was deleted',
      () => {
        const dir = repository({ a: '1', b: '2', c: '3', '.gitignore': '*.log\n' })
        rmSync(join(dir, 'b'))
        writeFiles(dir, { c: '4', d: '5', 'x.log': '', 'e/f.txt': '6' })
        git(dir, 'add', 'd')
        return dir
      },
      ['.gitignore', 'a', 'c', 'd', 'e/f.txt'],
    ],
    [
      'is read in the middle of a merge',
      () => {
        const dir = repository({ a: '1', b: '1' })
        git(dir, 'checkout', '-q', '-b', 'other')
        writeFiles(dir, { a: '2' })
        git(dir, 'commit', '-qam', 'two')
        git(dir, 'checkout', '-q', '-')
        writeFiles(dir, { a: '3' })
        git(dir, 'commit', '-qam', 'three')
        expect(() => git(dir, 'merge', 'other')).toThrow()
        return dir
      },
      ['a', 'b'],
    ],
    [
      'is read while another process holds the index lock',
      () => {
        const dir = repository({ a: '1' })
        writeFiles(dir, { '.git/index.lock': '' })
        return dir
      },
      ['a'],
    ],
    [
      'is walked when the repository is broken',
      () => {
        const dir = repository({ a: '1', 'node_modules/x.js': '', 'src/b': '2' })
        writeFiles(dir, { '.git/HEAD': 'nonsense' })
        return dir
      },
      ['a', 'src/b'],
    ],
    [
      'of a folder in a repository is relative to it',
      () => {
        const dir = repository({ a: '1', 'packages/one/b': '2', 'packages/one/c d/ü': '3', 'packages/two/c': '4' })
        return join(dir, 'packages/one')
      },
      ['b', 'c d/ü'],
    ],
    [
      'of a folder that the repository around it ignores',
      () => {
        const dir = repository({ '.gitignore': 'scratch/\n' })
        writeFiles(dir, { 'scratch/a': '1', 'scratch/b/c': '2' })
        return join(dir, 'scratch')
      },
      ['a', 'b/c'],
    ],
    [
      'of a worktree',
      () => {
        const dir = repository({ a: '1' })
        const other = join(dir, '..', 'another worktree')
        git(dir, 'worktree', 'add', '-q', '-b', 'other', other)
        writeFiles(other, { b: '2' })
        return other
      },
      ['a', 'b'],
    ],
    [
      'goes into submodules and into repositories that git does not know',
      () => {
        const inner = repository({ x: '1', '.gitignore': 'ignored\n' })
        const dir = repository({ a: '1' })
        git(dir, 'submodule', '--quiet', 'add', inner, 'sub module')
        writeFiles(dir, { 'sub module/y': '2', 'sub module/ignored': '3' })
        git(dir, 'clone', '-q', inner, join(dir, 'clone'))
        return dir
      },
      ['.gitmodules', 'a', 'clone/.gitignore', 'clone/x', 'sub module/.gitignore', 'sub module/x', 'sub module/y'],
    ],
    [
      'leaves out a submodule that was not fetched',
      () => {
        const inner = repository({ x: '1' })
        const dir = repository({ a: '1' })
        git(dir, 'submodule', '--quiet', 'add', inner, 'sub')
        git(dir, 'commit', '-qm', 'sub')
        const copy = join(dir, '..', 'copy')
        git(dir, 'clone', '-q', dir, copy)
        return copy
      },
      ['.gitmodules', 'a'],
    ],
    [
      'has links as they are',
      () => {
        const dir = repository({ 'src/a': '1' })
        symlinkSync('src', join(dir, 'link'))
        symlinkSync('nowhere', join(dir, 'dangling'))
        return dir
      },
      ['dangling', 'link', 'src/a'],
    ],
    [
      'has odd names, and new files of a folder in a repository',
      () => {
        const dir = repository({ 'one/? a': '1', 'two/b': '2' })
        writeFiles(dir, { 'one/new\nline': '', 'one/ space ': '', 'one/1 A. x': '', 'one/deep/er/x': '', 'two/c': '' })
        return join(dir, 'one')
      },
      [' space ', '1 A. x', '? a', 'deep/er/x', 'new\nline'],
    ],
    [
      'leaves out an ignored file that git was told to forget',
      () => {
        const dir = repository({ a: '1', 'x.log': '2', b: '3', c: '4' })
        writeFiles(dir, { '.gitignore': '*.log\n', 'meant to be added': '5', 'y.log': '6' })
        git(dir, 'rm', '-q', '--cached', 'x.log', 'b')
        git(dir, 'add', '-N', 'meant to be added')
        git(dir, 'add', '-f', 'y.log')
        git(dir, 'update-index', '--skip-worktree', 'a')
        git(dir, 'update-index', '--assume-unchanged', 'c')
        return dir
      },
      ['.gitignore', 'a', 'b', 'c', 'meant to be added', 'y.log'],
    ],
    [
      'follows what replaced a folder or a file',
      () => {
        const dir = repository({ 'folder/a': '1', file: '2', 'kept/b': '3' })
        rmSync(join(dir, 'folder'), { recursive: true })
        rmSync(join(dir, 'file'))
        writeFiles(dir, { folder: '1', 'file/c': '2' })
        return dir
      },
      ['file/c', 'folder', 'kept/b'],
    ],
    [
      'of a repository without a commit',
      () => {
        const dir = repository()
        writeFiles(dir, { a: '1', b: '2' })
        git(dir, 'add', 'a')
        return dir
      },
      ['a', 'b'],
    ],
    [
      'of a repository whose commit is lost',
      () => {
        const dir = repository({ a: '1' })
        writeFiles(dir, { b: '2' })
        const commit = git(dir, 'rev-parse', 'HEAD').trim()
        rmSync(join(dir, '.git/objects', commit.slice(0, 2)), { recursive: true })
        return dir
      },
      ['a', 'b'],
    ],
    [
      'without git leaves out what was fetched or built',
      () => folder({ 'src/a': '1', 'node_modules/b': '2', '.venv/c': '3', 'target/d': '4', 'x/__pycache__/e': '5' }),
      ['src/a'],
    ],
  ]
  it.each(rows)('%s', async (_name, prepare, expected) => {
    const dir = prepare()
    expect(await list(dir)).toEqual(expected)
    expect(await lookLater(dir)).toEqual(expected)
    expect(await list(dir)).toEqual(expected)
  })

  it('handles names that are not UTF-8', async ({ skip }) => {
    skip(process.platform !== 'linux', 'other systems allow no such names')
    const dir = repository({ a: '1' })
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/b`), Buffer.from([0xff])]), '')
    expect(await list(dir)).toEqual(['a', 'b\udcff'])
    expect(await openWorkspace(dir).look?.()).toEqual(['a', 'b\udcff'])
  })
})

describe('an index that was listed before', () => {
  const files = ['a', 'b', 'c']
  const rows: [name: string, work: (dir: string) => void, listed?: readonly string[]][] = [
    ['is the same', () => {}],
    ['has a new file', (dir) => [writeFiles(dir, { d: '4' }), git(dir, 'add', 'd')], [...files, 'd']],
    ['has lost a file that is there', (dir) => git(dir, 'rm', '-q', '--cached', 'b')],
    ['has lost a file that is ignored', (dir) => hide(dir, 'b'), ['a', 'c']],
    ['has a file that git treats as unchanged', (dir) => git(dir, 'update-index', '--assume-unchanged', 'b')],
    ['has a file that git expects to be absent', (dir) => git(dir, 'update-index', '--skip-worktree', 'b')],
    ['is gone', (dir) => rmSync(join(dir, '.git/index'))],
    ['is split', (dir) => git(dir, 'update-index', '--split-index')],
    [
      'is a link',
      (dir) => {
        renameSync(join(dir, '.git/index'), join(dir, '.git/other'))
        symlinkSync('other', join(dir, '.git/index'))
      },
    ],
    ['is in another repository', (dir) => [rmSync(join(dir, '.git'), { recursive: true }), git(dir, 'init', '-q')]],
  ]
  const hide = (dir: string, name: string) => {
    git(dir, 'rm', '-q', '--cached', name)
    writeFileSync(join(dir, '.git/info/exclude'), `${name}\n`)
  }
  it.each(rows)('%s', async (_name, work, listed = files) => {
    const dir = repository({ a: '1', b: '2', c: '3' })
    mkdirSync(join(dir, '.git/info'), { recursive: true })
    await lookLater(dir)
    work(dir)
    expect(await list(dir)).toEqual(listed)
    for (const _again of [1, 2]) {
      const looked = await lookLater(dir)
      expect(looked).toEqual(listed)
      expect(outputOf(looked)?.index).toBe(git(dir, 'ls-files', '-s', '-v', '-z'))
    }
  })

  it.each([
    ['split', (dir: string) => git(dir, 'update-index', '--split-index')],
    [
      'a link',
      (dir: string) => [
        renameSync(`${dir}/.git/index`, `${dir}/.git/other`),
        symlinkSync('other', `${dir}/.git/index`),
      ],
    ],
    ['sparse', (dir: string) => git(dir, 'update-index', '--skip-worktree', 'b')],
  ])('is listed again if it is %s', async (_name, prepare) => {
    const dir = repository({ a: '1', b: '2', c: '3' })
    prepare(dir)
    await lookLater(dir)
    expect(knownIndex(dir)).toBe(undefined)
  })

  it.each([
    ['once', true, []],
    ['each time for a claim, because it may change while its stat stays', false, ['-s -v', '--cached']],
  ] as const)('is listed %s', async (_name, reuseIndex, expected) => {
    const dir = repository({ a: '1' })
    const bin = folder()
    const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> "${bin}/calls"\nexec ${real} "$@"\n`, { mode: 0o755 })
    await lookLater(dir)
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
    const workspace = openWorkspace(dir, { env, reuseIndex })
    expect(await workspace.look?.()).toEqual(['a'])
    expect(await workspace.list()).toEqual(['a'])
    const calls = readFileSync(join(bin, 'calls'), 'utf8')
    expect(calls).toContain(' status ')
    expect([...calls.matchAll(/ls-files (?:-z )?(-s -v|--cached)/g)].map(([, found]) => found)).toEqual(expected)
  })

  it('is listed again if it is new', async () => {
    const dir = repository({ a: '1' })
    const written = statSync(join(dir, '.git/index')).ctimeMs
    await lookLater(dir, written + 1_000)
    expect(knownIndex(dir)).toBe(undefined)
    await lookLater(dir, written + 3_000)
    expect(knownIndex(dir)).toBe(git(dir, 'ls-files', '-s', '-v', '-z'))
  })
})

describe('reading', () => {
  const dir = folder({
    'inside.txt': 'inside',
    'utf16le.txt': Buffer.from('\ufeffgrößer\r\n', 'utf16le'),
    'utf16be.txt': Buffer.from('\ufeffgrößer\r\n', 'utf16le').swap16(),
    'unmarked.txt': Buffer.from('one line\n', 'utf16le'),
    'marked.txt': '\ufeffone line\n',
    'latin1.txt': Buffer.from('größer', 'latin1'),
    'zero.bin': Buffer.from([1, 0, 0, 0, 2, 0, 3, 0, 0, 4]),
    'most.txt': 'x'.repeat(2 * 1024 * 1024),
  })
  writeFiles(join(dir, '..'), { 'outside.txt': 'outside', 'beside/secret.txt': 'outside' })
  symlinkSync(join(dir, '..', 'outside.txt'), join(dir, 'file-link'))
  symlinkSync('../beside', join(dir, 'folder-link'))
  symlinkSync('inside.txt', join(dir, 'good-link'))
  symlinkSync('loop', join(dir, 'loop'))
  symlinkSync('/dev/zero', join(dir, 'device'))
  spawnSync('mkfifo', [join(dir, 'pipe')])

  const rows: [path: string, text: string | undefined][] = [
    ['good-link', 'inside'],
    ['utf16le.txt', 'größer\r\n'],
    ['utf16be.txt', 'größer\r\n'],
    ['unmarked.txt', 'one line\n'],
    ['marked.txt', 'one line\n'],
    ['latin1.txt', 'gr\ufffd\ufffder'],
    ['most.txt', 'x'.repeat(2 * 1024 * 1024)],
    ['zero.bin', undefined],
    ['../outside.txt', undefined],
    ['file-link', undefined],
    ['folder-link/secret.txt', undefined],
    ['loop', undefined],
    ['device', undefined],
    ['pipe', undefined],
  ]
  it.each(rows)('%s', (path, text) => {
    expect(openWorkspace(dir).read(path)).toBe(text)
  })

  it('does not take a folder for inside because its name starts the same', () => {
    const root = join(dir, '..')
    mkdirSync(join(root, 'a'))
    writeFiles(root, { 'ab/x': '1' })
    expect(openWorkspace(join(root, 'a')).read('../ab/x')).toBeUndefined()
  })
})

describe('git', () => {
  it('runs nothing from the repository, and never prompts', async () => {
    const dir = repository({ 'a.txt': '1\n', '.gitattributes': '*.txt diff=x\n' })
    const trap = join(dir, '.git', 'trap.sh')
    writeFileSync(trap, `#!/bin/sh\ntouch "${join(dir, '.git', 'sprung')}"\ncat "$1"\n`, { mode: 0o755 })
    const settings = [
      'core.fsmonitor',
      'core.pager',
      'diff.external',
      'diff.x.textconv',
      'diff.x.command',
      'core.askPass',
    ]
    for (const setting of settings) git(dir, 'config', setting, trap)
    writeFiles(dir, { 'a.txt': '2\n', 'bin/git': `#!/bin/sh\n"${trap}"\n` })
    chmodSync(join(dir, 'bin/git'), 0o755)
    const path = [join(dir, 'bin'), 'bin', '', process.env.PATH].join(':')
    const workspace = openWorkspace(dir, { env: { ...process.env, PATH: path, GIT_DIR: '/nowhere', GIT_PAGER: trap } })
    expect(await workspace.git(['diff'])).toContain('+2\n')
    expect(await workspace.git(['-C', dir, 'diff'])).toContain('+2\n')
    expect(await workspace.git(['log', '-p'])).toContain('+1\n')
    expect(await workspace.git(['status', '--porcelain'])).toContain(' M a.txt\n')
    expect(readdirSync(join(dir, '.git'))).not.toContain('sprung')
  })

  it('has no answer without git', async () => {
    const dir = repository({ a: '1' })
    const workspace = openWorkspace(dir, { env: { PATH: join(dir, 'nowhere') } })
    expect(await workspace.git(['status'])).toBeUndefined()
    expect(await workspace.list()).toEqual(['a'])
  })
})

it('writes nothing, and works where nothing can be written', async () => {
  const dir = repository({ a: '1', 'src/b': '2' })
  const state = () =>
    ['.', '.git', 'src'].map((name) => [readdirSync(join(dir, name)), statSync(join(dir, name)).mtimeMs])
  writeFiles(dir, { a: '3' })
  for (const path of ['.git', 'src', '.']) chmodSync(join(dir, path), 0o555)
  const before = [state(), readFileSync(join(dir, '.git/index')).toString('hex')]
  const workspace = openWorkspace(dir)
  expect(await workspace.list()).toEqual(['a', 'src/b'])
  expect(await workspace.git(['status', '--porcelain'])).toBe(' M a\n')
  expect(workspace.read('a')).toBe('3')
  expect(await workspace.run('cat a', { deadlineMs: 30_000 })).toMatchObject({ code: 0, output: '3' })
  expect([state(), readFileSync(join(dir, '.git/index')).toString('hex')]).toEqual(before)
  for (const path of ['.', '.git', 'src']) chmodSync(join(dir, path), 0o755)
})
