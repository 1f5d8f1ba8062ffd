import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { publishWork } from '../../src/fleet/git-transfer/publish.ts'
import { restoreWork } from '../../src/fleet/git-transfer/restore.ts'
import { patience } from '../timing.ts'
import { COMMITTER, env, git, newPlace, project, shown, write } from './git-transfer-place.ts'

type Project = Awaited<ReturnType<typeof project>>

/** Publishes the work of a project and restores it in another folder. */
async function transfer({ remote, work, place }: Project, epoch = 1) {
  const warnings: string[] = []
  const before = shown(work)
  const published = await publishWork(work, { remote, run: 'r1', epoch, env, warn: (text) => warnings.push(text) })
  expect(shown(work)).toEqual(before)
  const other = join(place, `other-${epoch}`)
  await restoreWork(other, { remote, env, from: published })
  return { other, published, warnings }
}

const FILES = ['a.txt', 'b.txt', 'dir/c.txt', 'dir/deep/d.txt', 'ä ö.txt', 'line\nbreak']
const CONTENTS = ['', 'one\n', 'two\r\nlines\r\n', '\0binary\xff', 'x'.repeat(3000)]

const file = fc.constantFrom(...FILES, 'new.txt', 'dir/new', 'fresh/folder/file', '-dash', ' space', '"quoted"')
const content = fc.constantFrom(...CONTENTS)
type Edit = (dir: string) => void

const fits = (dir: string, path: string): boolean => {
  const parts = path.split('/')
  return parts.every((_, at) => {
    const found = lstatSync(join(dir, ...parts.slice(0, at + 1)), { throwIfNoEntry: false })
    return found === undefined || (at === parts.length - 1 ? !found.isDirectory() : found.isDirectory())
  })
}
/** An edit git refuses at this moment doesn't count. */
const tried = (dir: string, ...args: string[]): void => {
  try {
    git(dir, ...args)
  } catch {
    // Nothing to stage, move or commit.
  }
}

const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(file, content).map(
    ([path, text]): Edit =>
      (dir) => {
        if (!fits(dir, path)) return
        rmSync(join(dir, path), { force: true })
        write(dir, path, Buffer.from(text, 'latin1'))
      },
  ),
  file.map(
    (path): Edit =>
      (dir) => {
        rmSync(join(dir, path), { force: true, recursive: true })
      },
  ),
  file.map(
    (path): Edit =>
      (dir) => {
        if (lstatSync(join(dir, path), { throwIfNoEntry: false })?.isFile()) chmodSync(join(dir, path), 0o755)
      },
  ),
  fc.tuple(file, fc.constantFrom('a.txt', '../outside', '/etc/passwd', 'nowhere')).map(
    ([path, to]): Edit =>
      (dir) => {
        if (!fits(dir, path)) return
        rmSync(join(dir, path), { force: true })
        mkdirSync(join(dir, path, '..'), { recursive: true })
        symlinkSync(to, join(dir, path))
      },
  ),
  fc.tuple(file, file).map(
    ([from, to]): Edit =>
      (dir) => {
        if (existsSync(join(dir, from)) && !existsSync(join(dir, to)) && fits(dir, to)) {
          mkdirSync(join(dir, to, '..'), { recursive: true })
          renameSync(join(dir, from), join(dir, to))
        }
      },
  ),
  file.map(
    (path): Edit =>
      (dir) =>
        tried(dir, '--literal-pathspecs', 'add', '-A', '--', path),
  ),
  file.map(
    (path): Edit =>
      (dir) =>
        tried(dir, '--literal-pathspecs', 'add', '-N', '--', path),
  ),
  file.map(
    (path): Edit =>
      (dir) =>
        tried(dir, '--literal-pathspecs', 'rm', '-q', '--cached', '--', path),
  ),
  file.map(
    (path): Edit =>
      (dir) =>
        tried(dir, 'update-index', '--assume-unchanged', '--', path),
  ),
  fc.constant<Edit>((dir) => tried(dir, ...COMMITTER, 'commit', '-q', '-m', 'more')),
  fc.constant<Edit>((dir) => tried(dir, 'checkout', '-q', '--detach')),
  fc.constantFrom('side', 'fix/ü').map(
    (name): Edit =>
      (dir) =>
        tried(dir, 'checkout', '-q', '-b', name),
  ),
)

describe('transferred work', () => {
  it('looks the same to git after the transfer, whatever was done', { timeout: patience(300_000) }, async () => {
    const files = Object.fromEntries(FILES.map((path, at) => [path, `${at}\n`]))
    const start = await project(files)
    let epoch = 0
    await fc.assert(
      fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 14 }), async (list) => {
        const made = { ...start, work: join(start.place, `work-${++epoch}`) }
        await restoreWork(made.work, { ...start, env, from: { branch: 'exitgate/task' } })
        for (const edit of list) edit(made.work)
        const { other, warnings } = await transfer(made, epoch)
        expect(warnings).toEqual([])
        expect(shown(other)).toEqual(shown(made.work))
        for (const path of git(made.work, 'ls-files', '-z', '-c', '-o').split('\0')) {
          const [here, there] = [made.work, other].map((dir) => bytesOf(dir, path))
          expect(there).toEqual(here)
        }
        for (const dir of [other, made.work]) rmSync(dir, { recursive: true })
      }),
      { numRuns: Number(process.env.EXITGATE_TRAVEL_RUNS ?? 12), interruptAfterTimeLimit: 200_000 },
    )
  })
})

function bytesOf(dir: string, latin: string): string | undefined {
  const path = join(dir, Buffer.from(latin, 'latin1').toString('utf8'))
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  return found?.isFile() ? `${found.mode & 0o100} ${readFileSync(path, 'latin1')}` : undefined
}

interface Case {
  readonly name: string
  readonly files?: Record<string, string>
  change(dir: string, made: Project): void
  /** Further expectations about the restored copy. */
  expectRestored?(dir: string, made: Project): void
  readonly warnings?: readonly unknown[]
}

const cases: readonly Case[] = [
  { name: 'no change', change: () => {} },
  {
    name: 'an unfinished merge with conflicts',
    change: (dir) => {
      git(dir, 'checkout', '-q', '-b', 'side')
      write(dir, 'a.txt', 'side\n')
      git(dir, ...COMMITTER, 'commit', '-qam', 'side')
      git(dir, 'checkout', '-q', 'exitgate/task')
      write(dir, 'a.txt', 'task\n')
      git(dir, ...COMMITTER, 'commit', '-qam', 'task')
      expect(() => git(dir, ...COMMITTER, 'merge', '-q', 'side')).toThrow()
    },
    expectRestored: (dir) => {
      expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toContain('<<<<<<< HEAD')
      write(dir, 'a.txt', 'both\n')
      git(dir, 'add', 'a.txt')
      git(dir, ...COMMITTER, 'commit', '-q', '--no-edit')
      expect(git(dir, 'log', '-1', '--format=%s %p')).toMatch(/^Merge branch 'side'.* \w+ \w+$/m)
    },
  },
  {
    name: 'a rebase in progress is omitted with a warning',
    change: (dir) => {
      write(dir, 'a.txt', 'task\n')
      git(dir, ...COMMITTER, 'commit', '-qam', 'task')
      git(dir, 'checkout', '-q', '-b', 'side', 'HEAD~1')
      write(dir, 'a.txt', 'side\n')
      git(dir, ...COMMITTER, 'commit', '-qam', 'side')
      expect(() => git(dir, ...COMMITTER, 'rebase', '-q', 'exitgate/task')).toThrow()
    },
    warnings: ['Not published: the rebase in progress.'],
  },
  {
    name: 'empty folders',
    change: (dir) => {
      mkdirSync(join(dir, 'out/reports'), { recursive: true })
      mkdirSync(join(dir, 'new/empty'), { recursive: true })
      write(dir, 'new/file', 'x')
    },
    expectRestored: (dir) => {
      expect(lstatSync(join(dir, 'out/reports')).isDirectory() && lstatSync(join(dir, 'new/empty')).isDirectory()).toBe(
        true,
      )
    },
  },
  {
    name: 'line endings that the attributes would change',
    files: { '.gitattributes': '* text=auto\n*.bat text eol=crlf\n', 'run.bat': 'echo\n', 'a.txt': 'one\n' },
    change: (dir) => {
      write(dir, 'a.txt', 'one\r\ntwo\r\n')
      write(dir, 'new.txt', 'crlf\r\n')
    },
    expectRestored: (dir) => {
      expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n')
      expect(readFileSync(join(dir, 'new.txt'), 'utf8')).toBe('crlf\r\n')
      expect(readFileSync(join(dir, 'run.bat'), 'utf8')).toBe('echo\r\n')
    },
  },
  {
    name: 'ignored files and .exitgate are omitted',
    files: { '.gitignore': 'build/\n', 'a.txt': 'one\n' },
    change: (dir) => {
      write(dir, 'build/x', 'x')
      write(dir, '.exitgate/.gitignore', '*\n')
      write(dir, '.exitgate/status.json', '{}')
    },
    expectRestored: (dir) => {
      expect([existsSync(join(dir, 'build')), existsSync(join(dir, '.exitgate'))]).toEqual([false, false])
    },
  },
  {
    name: 'the ignore list of this clone',
    change: (dir) => {
      write(dir, '.git/info/exclude', 'notes\n')
      write(dir, 'notes', 'mine')
    },
  },
  {
    name: 'a nested repository is omitted with a warning',
    change: (dir) => {
      git(dir, 'init', '-q', 'inner')
      write(dir, 'inner/file', 'x')
    },
    warnings: ['Not published: inner/ (a nested repository).'],
  },
  {
    name: 'a file that became a folder, and a folder that became a file',
    files: { 'a.txt': 'one\n', 'dir/b.txt': 'b\n' },
    change: (dir) => {
      rmSync(join(dir, 'a.txt'))
      write(dir, 'a.txt/inside', 'x')
      rmSync(join(dir, 'dir'), { recursive: true })
      write(dir, 'dir', 'file now')
    },
  },
  {
    name: 'assume-unchanged and skip-worktree files',
    files: { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' },
    change: (dir) => {
      git(dir, 'update-index', '--assume-unchanged', 'a.txt')
      git(dir, 'update-index', '--skip-worktree', 'b.txt', 'c.txt')
      write(dir, 'a.txt', 'hidden\n')
      write(dir, 'b.txt', 'hidden\n')
      rmSync(join(dir, 'c.txt'))
    },
    expectRestored: (dir) => {
      expect(readFileSync(join(dir, 'a.txt'), 'utf8') + readFileSync(join(dir, 'b.txt'), 'utf8')).toBe(
        'hidden\nhidden\n',
      )
      expect(existsSync(join(dir, 'c.txt'))).toBe(false)
    },
  },
  {
    name: 'git add -N files that are deleted, empty or tracked already',
    files: { 'a.txt': 'one\n', 'b.txt': 'two\n' },
    change: (dir) => {
      for (const path of ['gone', 'new/gone', 'there', 'empty']) write(dir, path, path === 'empty' ? '' : 'x')
      git(dir, 'add', '-N', 'gone', 'new/gone', 'there')
      git(dir, 'add', 'empty')
      git(dir, 'rm', '-q', '--cached', 'b.txt')
      git(dir, 'add', '-N', 'b.txt')
      for (const path of ['gone', 'new']) rmSync(join(dir, path), { recursive: true })
    },
    expectRestored: (dir) => {
      expect([existsSync(join(dir, 'gone')), existsSync(join(dir, 'new'))]).toEqual([false, false])
    },
  },
  {
    name: 'git add -N of a link and of a program that are deleted',
    change: (dir) => {
      symlinkSync('a.txt', join(dir, 'link'))
      write(dir, 'program', 'x')
      chmodSync(join(dir, 'program'), 0o755)
      git(dir, 'add', '-N', 'link', 'program')
      for (const path of ['link', 'program']) rmSync(join(dir, path))
    },
  },
  {
    name: 'a branch without a commit',
    change: (dir) => {
      git(dir, 'checkout', '-q', '--orphan', 'bare')
      git(dir, 'rm', '-rq', '--cached', '.')
      write(dir, 'staged', 'x')
      git(dir, 'add', 'staged')
    },
  },
  {
    name: 'a submodule that is not checked out',
    change: (dir, { remote }) => {
      const commit = git(dir, 'rev-parse', 'HEAD').trim()
      git(dir, 'config', '-f', '.gitmodules', 'submodule.lib.path', 'lib')
      git(dir, 'config', '-f', '.gitmodules', 'submodule.lib.url', remote)
      git(dir, 'update-index', '--add', '--cacheinfo', `160000,${commit},lib`)
      mkdirSync(join(dir, 'lib'))
    },
  },
  {
    name: 'a submodule at another commit is omitted with a warning',
    change: (dir, { remote }) => {
      git(dir, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', remote, 'lib')
      git(join(dir, 'lib'), ...COMMITTER, 'commit', '-q', '--allow-empty', '-m', 'mine')
    },
    warnings: ['Not published: lib (a submodule at another commit).'],
  },
]

describe('work an agent may leave', () => {
  it.each(cases)('$name', async ({ files, change: does, expectRestored: holds, warnings = [] }) => {
    const made = await project(files)
    does(made.work, made)
    const transferred = await transfer(made)
    expect(transferred.warnings).toEqual(warnings)
    if (warnings.length === 0) expect(shown(transferred.other)).toEqual(shown(made.work))
    holds?.(transferred.other, made)
  })

  it('works from a shallow clone and in a SHA-256 repository', async () => {
    const made = await project()
    const shallow = join(made.place, 'shallow')
    write(made.work, 'more.txt', 'x')
    git(made.work, 'add', '-A')
    git(made.work, ...COMMITTER, 'commit', '-q', '-m', 'second')
    git(made.work, 'push', '-q', 'origin', 'HEAD:main')
    git(made.place, 'clone', '-q', '--depth=1', `file://${made.remote}`, shallow)
    write(shallow, 'a.txt', 'changed\n')
    const { other } = await transfer({ ...made, work: shallow })
    expect(shown(other)).toEqual(shown(shallow))

    const place = newPlace()
    const [remote, work] = [join(place, 'remote.git'), join(place, 'work')]
    git(place, 'init', '-q', '--bare', '--object-format=sha256', '-b', 'main', remote)
    git(place, 'init', '-q', '--object-format=sha256', '-b', 'main', work)
    write(work, 'a.txt', 'staged\n')
    git(work, 'add', '-A')
    write(work, 'a.txt', 'changed\n')
    const long = await transfer({ place, remote, work, cache: join(place, 'cache') })
    expect(shown(long.other)).toEqual(shown(work))
  })

  it('publishes the same work under one ref, and different work under two', async () => {
    const made = await project()
    const options = { remote: made.remote, run: 'r 1', epoch: 3, env }
    const [one, again] = [await publishWork(made.work, options), await publishWork(made.work, options)]
    write(made.work, 'a.txt', 'two\n')
    const other = await publishWork(made.work, options)
    expect(again).toEqual(one)
    expect(one.ref).toMatch(/^refs\/exitgate\/r-1\/3\/[0-9a-f]{40}$/)
    expect(git(made.remote, 'for-each-ref', '--format=%(refname)', 'refs/exitgate').trim().split('\n').sort()).toEqual(
      [one.ref, other.ref].sort(),
    )
  })

  it('lists a file that is too large to transfer', async () => {
    const made = await project()
    writeFileSync(join(made.work, 'huge.bin'), '')
    truncateSync(join(made.work, 'huge.bin'), 101 * 1024 * 1024)
    const { other, warnings } = await transfer(made)
    expect(warnings).toEqual(['Not published: huge.bin (101 MB, the limit is 100 MB).'])
    expect(existsSync(join(other, 'huge.bin'))).toBe(false)
  })
})
