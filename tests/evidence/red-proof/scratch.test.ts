import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { putFile } from '../../../src/evidence/clean-room/put-file.ts'
import { makeScratch, type Scratch, type ScratchOptions } from '../../../src/evidence/red-proof/scratch.ts'
import { openWorkspace } from '../../../src/evidence/workspace.ts'
import { makeTemporaryFolder, sweepTemporaryFolders } from '../../../src/system/temporary-folder.ts'
import { type Project, project } from '../git-project.ts'

let root: string
let scratch: Scratch | undefined
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-root-')))
})
afterEach(async () => {
  await scratch?.remove()
  scratch = undefined
  rmSync(root, { recursive: true, force: true })
})

async function copyOf({ workspace }: Pick<Project, 'workspace'>, options: ScratchOptions = {}): Promise<Scratch> {
  scratch = await makeScratch(workspace, { root, ...options })
  return scratch
}
const textIn = (copy: Scratch, path: string) => readFileSync(join(copy.dir, path), 'utf8')
const isThere = (copy: Scratch, path: string) =>
  lstatSync(join(copy.dir, path), { throwIfNoEntry: false }) !== undefined

describe('the copy', () => {
  it.each([[true], [false]])('contains the current working tree (git: %s)', async (git) => {
    const one = project({ 'a.txt': 'a', 'b.txt': 'b', 'deep/er/c d.txt': 'c', 'gone.txt': 'x' }, { git })
    one.write({ 'a.txt': 'dirty', 'new/untracked.txt': 'u' })
    one.remove('gone.txt')
    if (git) one.git('add', 'a.txt')
    const copy = await copyOf(one)
    const paths = ['a.txt', 'b.txt', 'deep/er/c d.txt', 'new/untracked.txt', 'gone.txt']
    expect(paths.map((path) => isThere(copy, path) && textIn(copy, path))).toEqual(['dirty', 'b', 'c', 'u', false])
    expect(isThere(copy, '.git')).toBe(false)
  })

  it('is private and outside the workspace', async () => {
    const copy = await copyOf(project({ 'a.txt': 'a' }))
    const place = join(root, readdirSync(root)[0]!)
    expect(statSync(place).mode & 0o777).toBe(0o700)
    expect(copy.dir).toBe(join(place, 'tree', 'work space'))
  })

  it('keeps file modes and times', async () => {
    const one = project({ 'run.sh': '#!/bin/sh\n', 'read-only.txt': 'x' })
    chmodSync(join(one.dir, 'run.sh'), 0o755)
    chmodSync(join(one.dir, 'read-only.txt'), 0o444)
    utimesSync(join(one.dir, 'run.sh'), 1_000_000, 1_000_000)
    const copy = await copyOf(one)
    expect(statSync(join(copy.dir, 'run.sh'))).toMatchObject({ mode: 0o100755, mtimeMs: 1_000_000_000 })
    copy.put('read-only.txt', 'changed')
    expect(textIn(copy, 'read-only.txt')).toBe('changed')
    copy.put('run.sh', 'changed')
    expect(statSync(join(copy.dir, 'run.sh')).mode & 0o777).toBe(0o755)
    expect(one.text('run.sh')).toBe('#!/bin/sh\n')
  })

  it('shares no file with the original', async () => {
    const one = project({ 'a.txt': 'a' })
    const copy = await copyOf(one)
    writeFileSync(join(copy.dir, 'a.txt'), 'scribbled over')
    expect(one.text('a.txt')).toBe('a')
    expect(statSync(join(one.dir, 'a.txt')).nlink).toBe(1)
  })

  it('leaves out huge files, special files and unreadable ones', async () => {
    const one = project({ 'a.txt': 'a', 'huge.bin': 'x'.repeat(2000) }, { git: false })
    spawnSync('mkfifo', [join(one.dir, 'pipe')])
    const copy = await copyOf(one, { limits: { fileBytes: 1000 } })
    expect(copy.skipped).toEqual(['huge.bin', 'pipe'])
    expect(readdirSync(copy.dir)).toEqual(['a.txt'])
  })

  it('is not made if it would be too large, or inside the workspace', async () => {
    const one = project({ 'a.txt': 'aaaa', 'b.txt': 'bbbb' })
    await expect(copyOf(one, { limits: { totalBytes: 5 } })).rejects.toThrow('too large')
    await expect(copyOf(one, { limits: { files: 1 } })).rejects.toThrow('too large')
    expect(readdirSync(root)).toEqual([])
    await expect(makeScratch(one.workspace, { root: one.dir })).rejects.toThrow('is inside the workspace')
  })
})

describe('links', () => {
  it('stay links: to the copy if the target is inside, otherwise unchanged', async () => {
    const outside = join(root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret.txt'), 'secret')
    const one = project({ 'a.txt': 'a', 'deep/b.txt': 'b' })
    const links = {
      near: 'a.txt',
      'deep/up': '../a.txt',
      whole: join(one.dir, 'deep'),
      out: outside,
      'out-relative': '../../outside',
      nowhere: 'missing',
    }
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(one.dir, path))
    const copy = await copyOf(one)
    const led = Object.keys(links).map((path) => readlinkSync(join(copy.dir, path)))
    const relative = join(one.dir, '../../outside')
    expect(led).toEqual(['a.txt', '../a.txt', join(copy.dir, 'deep'), outside, relative, 'missing'])
  })

  it('that replaced a folder are not written through', async () => {
    const outside = join(root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'a.txt'), 'outside')
    const one = project({ 'src/a.txt': 'a', 'src/b.txt': 'b' })
    one.remove('src')
    symlinkSync(outside, join(one.dir, 'src'))
    const copy = await copyOf(one)
    copy.put('src', undefined)
    copy.put('src/a.txt', 'before')
    expect(textIn(copy, 'src/a.txt')).toBe('before')
    expect(lstatSync(join(copy.dir, 'src')).isDirectory()).toBe(true)
    expect([readdirSync(outside), readFileSync(join(outside, 'a.txt'), 'utf8')]).toEqual([['a.txt'], 'outside'])
  })

  it.each([
    ['src/a.txt', 'x', ['kept.txt']],
    ['src/kept.txt', undefined, ['kept.txt']],
    ['src', undefined, ['kept.txt']],
    ['src/kept.txt', 'x', ['kept.txt']],
  ])('on the path to %s (%s) are not followed', (path, text, left) => {
    const outside = join(root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'kept.txt'), 'kept')
    const dir = join(root, 'dir')
    mkdirSync(dir)
    symlinkSync(outside, join(dir, 'src'))
    putFile(dir, path, text)
    expect([readdirSync(outside), readFileSync(join(outside, 'kept.txt'), 'utf8')]).toEqual([left, 'kept'])
  })

  it.each([['../a'], ['/etc/a'], ['a/../../b'], ['']])('%j is rejected as a path', (path) => {
    expect(() => putFile(root, path, 'x')).toThrow('is not a path inside the folder')
  })

  it('are removed with the copy, but not their targets', async () => {
    const one = project({ 'a.txt': 'a' })
    const outside = join(root, 'outside')
    mkdirSync(join(outside, 'in'), { recursive: true })
    const copy = await copyOf(one)
    symlinkSync(outside, join(copy.dir, 'out'))
    symlinkSync(one.dir, join(copy.dir, 'back'))
    await copy.remove()
    expect([readdirSync(root), readdirSync(outside), one.text('a.txt')]).toEqual([['outside'], ['in'], 'a'])
  })
})

describe('ignored files', () => {
  const ignored = (files: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) => {
    const paths = [...new Set(Object.keys(files).map((path) => path.replace(/\/.*/, '/')))]
    const one = project({ 'a.ts': 'a', ...more, '.gitignore': paths.map((path) => `/${path}\n`).join('') })
    one.write(files)
    return one
  }
  const kindOf = (copy: Scratch, path: string) => {
    const stat = lstatSync(join(copy.dir, path), { throwIfNoEntry: false })
    return stat === undefined ? 'absent' : stat.isSymbolicLink() ? 'link' : 'own'
  }
  const rows: [string, Record<string, string>, string, 'link' | 'own' | 'absent', Record<string, string>?][] = [
    ['packages', { 'node_modules/six/index.js': '6' }, 'node_modules/six', 'link'],
    ['scoped packages', { 'node_modules/@a/six/index.js': '6' }, 'node_modules/@a/six', 'link'],
    ['package commands', { 'node_modules/.bin/six': '6' }, 'node_modules/.bin/six', 'link'],
    ['node_modules itself', { 'node_modules/six/index.js': '6' }, 'node_modules', 'own'],
    ['caches in node_modules', { 'node_modules/.vite/x': '6' }, 'node_modules/.vite', 'absent'],
    ['virtual environments', { '.venv/pyvenv.cfg': '' }, '.venv', 'link'],
    ['virtual environments with any name', { 'my-env/pyvenv.cfg': '' }, 'my-env', 'link'],
    ['vendored gems', { 'vendor/bundle/a.rb': '' }, 'vendor', 'link'],
    [
      'PHP packages',
      { 'vendor/composer/installed.json': '{}', 'vendor/autoload.php': '' },
      'vendor/autoload.php',
      'own',
    ],
    ['Cargo builds', { 'target/debug/a': '' }, 'target/debug/a', 'own', { 'Cargo.toml': '' }],
    ['Maven builds', { 'target/classes/a.class': '' }, 'target', 'absent', { 'pom.xml': '' }],
    ['build output', { 'dist/a.js': '' }, 'dist', 'absent'],
    ['local settings', { '.env': 'A=1' }, '.env', 'own'],
    ['generated sources', { 'generated/a.ts': '' }, 'generated/a.ts', 'own'],
    ['JavaScript compiled from TypeScript', { 'a.js': 'made' }, 'a.js', 'absent'],
    ['other JavaScript', { 'local.js': 'own' }, 'local.js', 'own'],
    ['compiled Python', { '__pycache__/a.pyc': '' }, '__pycache__', 'absent'],
    ['files of exitgate', { '.exitgate/report.md': '' }, '.exitgate', 'absent'],
  ]
  it.each(rows)('%s', async (_, files, path, kind, more) => {
    expect(kindOf(await copyOf(ignored(files, more)), path)).toBe(kind)
  })

  it('that are too large to copy are left out', async () => {
    const many = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`data/${i}`, '']))
    const copy = await copyOf(ignored(many))
    expect([kindOf(copy, 'data'), copy.skipped]).toEqual(['absent', ['data/']])
  })

  it('are handled without any ignore rules', async () => {
    const one = project({ 'a.js': '', 'node_modules/six/index.js': '6', 'dist/a.js': '' }, { git: false })
    const copy = await copyOf(one)
    expect([kindOf(copy, 'node_modules/six'), kindOf(copy, 'dist')]).toEqual(['link', 'absent'])
  })
})

describe('a workspace in a folder of a larger repository', () => {
  it('finds its neighbours', async () => {
    const one = project({
      '.gitignore': 'node_modules\n',
      'tsconfig.json': '{}',
      'packages/a/a.txt': 'a',
      'packages/b/b.txt': 'b',
    })
    one.write({ 'node_modules/six/index.js': '6' })
    symlinkSync('../packages/a', join(one.dir, 'node_modules/a'))
    const copy = await copyOf({ workspace: openWorkspace(join(one.dir, 'packages/a')) })
    expect(copy.dir.endsWith('/tree/work space/packages/a')).toBe(true)
    copy.put('a.txt', 'changed')
    const read = (path: string) => readFileSync(join(copy.dir, path), 'utf8')
    expect(
      ['../../tsconfig.json', '../b/b.txt', '../../node_modules/six/index.js', '../../node_modules/a/a.txt'].map(read),
    ).toEqual(['{}', 'b', '6', 'changed'])
    expect(one.text('packages/a/a.txt')).toBe('a')
    expect(existsSync(join(copy.top.to, '.git'))).toBe(false)
  })
})

describe("the user's repository", () => {
  it('does not change by a single byte', async () => {
    const one = project({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    one.write({ 'a.txt': 'stashed' })
    one.git('stash', '-q')
    one.write({ 'a.txt': 'staged' })
    one.git('add', 'a.txt')
    one.write({ 'a.txt': 'unstaged', 'new.txt': 'new' })
    one.remove('b.txt')
    // The file's time differs from the one in the index, so git could refresh the index.
    utimesSync(join(one.dir, 'c.txt'), 2_000_000, 2_000_000)
    const digest = () => {
      const files = readdirSync(join(one.dir, '.git'), { recursive: true, withFileTypes: true })
      const plain = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
      const hash = createHash('sha256')
      for (const file of plain.sort())
        hash
          .update(file)
          .update(readFileSync(file))
          .update(String(statSync(file).mtimeMs))
      return hash.digest('hex')
    }
    const seen = () =>
      ['status --porcelain=v2', 'stash list', 'for-each-ref', 'worktree list', 'rev-parse HEAD'].map((line) =>
        one.git('--no-optional-locks', ...line.split(' ')),
      )
    const before = [digest(), ...seen()]
    const copy = await copyOf(one)
    copy.put('a.txt', 'a')
    copy.put('new.txt', undefined)
    copy.put('b.txt', 'b')
    await copy.remove()
    expect([digest(), ...seen()]).toEqual(before)
  })
})

describe('the sweep', () => {
  const mine = makeTemporaryFolder('scratch')
  rmSync(mine, { recursive: true })
  /** The name of a folder of this process, with other values. */
  const named = (change: { machine?: string; pid?: string; start?: string } = {}) => {
    const [, , machine = '', pid = '', start = ''] = basename(mine).split('-')
    const parts = { machine, pid, start, ...change }
    return `exitgate-scratch-${parts.machine}-${parts.pid}-${parts.start}-a`
  }
  const gone = named({ pid: String(2 ** 22 + 1) })
  const elsewhere = named({ machine: '00000000' })
  const rows: [name: string, folder: string, days: number, removed: boolean][] = [
    ['of this process', named(), 2, false],
    ['of an ended process', gone, 0, true],
    ['of an ended process, for a room', gone.replace('scratch', 'room'), 0, true],
    ['of an ended process, for a report', gone.replace('scratch', 'report'), 0, true],
    ['from another machine', elsewhere, 0, false],
    ['from another machine, two days old', elsewhere, 2, true],
    ['of an older version', 'exitgate-rooms-0123456789abcdef', 0, false],
    ['of an older version, two days old', 'exitgate-rooms-0123456789abcdef', 2, true],
    ['with an invalid process number', named({ pid: '-1' }), 0, false],
    ['with another name', gone.replace('exitgate', 'other'), 2, false],
  ]
  it.each(rows)('a folder %s', async (_, name, days, removed) => {
    const place = join(root, name)
    mkdirSync(join(place, 'tree'), { recursive: true })
    const then = new Date(Date.now() - days * 24 * 60 * 60 * 1000)
    utimesSync(place, then, then)
    await sweepTemporaryFolders([root])
    expect(existsSync(place)).toBe(!removed)
  })

  it('removes a folder whose process number was reused', async ({ skip }) => {
    skip(process.platform !== 'linux', 'the start of a process is read from /proc')
    mkdirSync(join(root, named({ start: '1' })))
    await sweepTemporaryFolders([root])
    expect(readdirSync(root)).toEqual([])
  })

  it('never follows a link, whatever its name', async () => {
    const target = join(root, 'target')
    mkdirSync(target)
    writeFileSync(join(target, 'kept'), '')
    symlinkSync(target, join(root, `${gone}-link`))
    mkdirSync(join(root, gone))
    symlinkSync(target, join(root, gone, 'way-out'))
    await sweepTemporaryFolders([root])
    expect(readdirSync(root).sort()).toEqual([`${gone}-link`, 'target'])
    expect(readdirSync(target)).toEqual(['kept'])
  })

  it('finds nothing in a missing folder', async () => {
    await expect(sweepTemporaryFolders([join(root, 'missing')])).resolves.toBeUndefined()
  })
})
