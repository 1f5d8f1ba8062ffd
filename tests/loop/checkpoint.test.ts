import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkpoint } from '../../src/loop/checkpoint.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-checkpoint-test-')))
const temporary = join(base, 'tmp')
const before = { ...process.env }
/** git with a name for the tests' own commits, and without the settings of this machine. */
const userEnv = {
  PATH: process.env.PATH ?? '',
  HOME: join(base, 'home'),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Someone',
  GIT_AUTHOR_EMAIL: 'someone@example.com',
  GIT_COMMITTER_NAME: 'Someone',
  GIT_COMMITTER_EMAIL: 'someone@example.com',
  GIT_ALLOW_PROTOCOL: 'file',
}
beforeAll(() => {
  mkdirSync(userEnv.HOME)
  mkdirSync(temporary)
  process.env.TMPDIR = temporary
  process.env.HOME = userEnv.HOME
  process.env.XDG_CONFIG_HOME = userEnv.HOME
})
afterAll(() => {
  for (const name of ['HOME', 'TMPDIR', 'XDG_CONFIG_HOME']) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  rmSync(base, { recursive: true, force: true })
})

let made = 0
const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: dir, env: userEnv, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** A repository with two committed files and an ignored one. */
function repository(...options: string[]): string {
  const dir = join(base, `r${made++}`)
  mkdirSync(dir)
  git(dir, 'init', '-q', '-b', 'main', ...options)
  writeFileSync(join(dir, '.gitignore'), 'ignored\n')
  writeFileSync(join(dir, 'a.txt'), 'one\n')
  writeFileSync(join(dir, 'b.txt'), 'two\n')
  git(dir, 'add', '-A')
  git(dir, 'commit', '-qm', 'begin')
  return dir
}

const keep = (dir: string, more: { ignore?: string[]; warn?: (text: string) => void; run?: string } = {}) =>
  checkpoint(dir, { run: 'r1', iteration: 4, message: 'iteration 4', ignore: [], ...more })

/** The state of the user's repository that a checkpoint must not change. */
function userState(dir: string): Record<string, string> {
  const path = git(dir, 'rev-parse', '--git-path', 'index').trim()
  const index = path.startsWith('/') ? path : join(dir, path)
  return {
    index: existsSync(index) ? readFileSync(index, 'latin1') : 'none',
    head: readFileSync(join(git(dir, 'rev-parse', '--absolute-git-dir').trim(), 'HEAD'), 'utf8'),
    refs: git(dir, 'for-each-ref', '--format=%(refname) %(objectname)').replace(/^refs\/heads\/exitgate\/.*\n/gm, ''),
    status: git(dir, '--no-optional-locks', 'status', '--porcelain=v2', '--untracked-files=all', '--ignored'),
  }
}

/** Makes a checkpoint, checks that the user's state is unchanged, and returns the files in it. */
async function kept(dir: string, more: Parameters<typeof keep>[1] = {}): Promise<Record<string, string>> {
  const stateBefore = userState(dir)
  const done = await keep(dir, more)
  expect(done).toEqual({ branch: `exitgate/${more.run ?? 'r1'}`, commit: expect.stringMatching(/^[0-9a-f]{40,64}$/) })
  expect(userState(dir)).toEqual(stateBefore)
  expect(readdirSync(temporary)).toEqual([])
  return filesIn(dir, `exitgate/${more.run ?? 'r1'}`)
}

function filesIn(dir: string, commit: string): Record<string, string> {
  const names = git(dir, 'ls-tree', '-r', '-z', '--name-only', '--full-tree', commit)
    .split('\0')
    .filter((name) => name !== '')
  const show = (name: string) => {
    try {
      return git(dir, 'show', `${commit}:${name}`)
    } catch {
      return 'a commit'
    }
  }
  return Object.fromEntries(names.map((name) => [name, show(name)]))
}

const START = { '.gitignore': 'ignored\n', 'a.txt': 'one\n', 'b.txt': 'two\n' }

describe('a checkpoint', () => {
  it('contains changed, added, deleted, staged and moved files, but no ignored files and none of exitgate', async () => {
    const dir = repository()
    writeFileSync(join(dir, 'a.txt'), 'one more\n')
    rmSync(join(dir, 'b.txt'))
    writeFileSync(join(dir, 'staged.txt'), 'staged\n')
    git(dir, 'add', 'staged.txt')
    appendFileSync(join(dir, 'staged.txt'), 'and more\n')
    mkdirSync(join(dir, 'deep/er'), { recursive: true })
    writeFileSync(join(dir, 'deep/er/new.txt'), 'new\n')
    for (const folder of ['.exitgate', '.prp-session']) {
      mkdirSync(join(dir, folder))
      writeFileSync(join(dir, folder, 'x'), 'x')
    }
    writeFileSync(join(dir, 'STATE.md'), 'x')
    writeFileSync(join(dir, 'ignored'), 'x')
    symlinkSync('a.txt', join(dir, 'link'))
    expect(await kept(dir, { ignore: ['.prp-session/', 'STATE.md'] })).toEqual({
      '.gitignore': 'ignored\n',
      'a.txt': 'one more\n',
      'deep/er/new.txt': 'new\n',
      link: 'a.txt',
      'staged.txt': 'staged\nand more\n',
    })
    expect(git(dir, 'log', '-1', '--format=%an <%ae> %cn|%s|%P', 'exitgate/r1').trim()).toBe(
      `exitgate <exitgate@localhost> exitgate|iteration 4|${git(dir, 'rev-parse', 'main').trim()}`,
    )
    expect(git(dir, 'fsck', '--no-dangling')).toBe('')
  })

  it('is one commit per change, and none if nothing changed', async () => {
    const dir = repository()
    expect(await keep(dir)).toBeUndefined()
    expect(git(dir, 'branch', '--list', 'exitgate/*')).toBe('')
    writeFileSync(join(dir, 'a.txt'), 'two\n')
    await kept(dir)
    expect(await keep(dir)).toBeUndefined()
    // The agent commits the tree of the last checkpoint.
    git(dir, 'commit', '-qam', 'by the agent')
    expect(await keep(dir)).toBeUndefined()
    writeFileSync(join(dir, 'a.txt'), 'three\n')
    await kept(dir)
    expect(git(dir, 'rev-list', '--count', 'exitgate/r1').trim()).toBe('3')
  })

  it('contains files with unusual names', async () => {
    const dir = repository()
    const names = ['a b', '-n', '--stdin', 'ä ß 😀', 'quo"te', "it's", 'new\nline', 'tab\t', ':(top)', '*', '[x]']
    for (const name of names) writeFileSync(join(dir, name), name)
    // Other systems may not allow this name.
    const odd = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0x66, 0xff, 0xfe])])
    if (process.platform === 'linux') writeFileSync(odd, 'bytes')
    const files = await kept(dir)
    for (const name of names) expect(files[name]).toBe(name)
    if (process.platform === 'linux') {
      const listed = execFileSync('git', ['ls-tree', '-z', '--name-only', 'exitgate/r1'], { cwd: dir, env: userEnv })
      expect(listed.includes(Buffer.from([0x66, 0xff, 0xfe, 0]))).toBe(true)
    }
  })

  it('contains a file that became a folder, and a folder that became a file', async () => {
    const dir = repository()
    mkdirSync(join(dir, 'f'))
    writeFileSync(join(dir, 'f/x'), 'x')
    git(dir, 'add', '-A')
    git(dir, 'commit', '-qm', 'more')
    rmSync(join(dir, 'f'), { recursive: true })
    writeFileSync(join(dir, 'f'), 'a file')
    rmSync(join(dir, 'a.txt'))
    mkdirSync(join(dir, 'a.txt'))
    writeFileSync(join(dir, 'a.txt/y'), 'y')
    expect(await kept(dir)).toEqual({ '.gitignore': 'ignored\n', 'b.txt': 'two\n', f: 'a file', 'a.txt/y': 'y' })
  })

  it('contains work from before the first commit', async () => {
    const dir = join(base, `r${made++}`)
    mkdirSync(dir)
    git(dir, 'init', '-q', '-b', 'main')
    expect(await keep(dir)).toEqual(expect.objectContaining({ branch: 'exitgate/r1' }))
    writeFileSync(join(dir, 'a.txt'), 'one\n')
    expect(await kept(dir)).toEqual({ 'a.txt': 'one\n' })
  })

  it('contains the whole repository if the workspace is a folder in it', async () => {
    const dir = repository()
    mkdirSync(join(dir, 'sub/.exitgate'), { recursive: true })
    writeFileSync(join(dir, 'sub/.exitgate/x'), 'x')
    writeFileSync(join(dir, 'sub/STATE.md'), 'x')
    writeFileSync(join(dir, 'sub/new.txt'), 'new\n')
    expect(await kept(join(dir, 'sub'), { ignore: ['STATE.md'] })).toEqual({ ...START, 'sub/new.txt': 'new\n' })
  })

  it('contains the files of a second worktree', async () => {
    const dir = repository()
    const second = join(base, `w${made++}`)
    git(dir, 'worktree', 'add', '-q', '-b', 'side', second)
    writeFileSync(join(second, 'side.txt'), 'side\n')
    expect(await kept(second)).toEqual({ ...START, 'side.txt': 'side\n' })
  })

  it('contains the commit of a submodule, but not other nested repositories', async () => {
    const dir = repository()
    git(dir, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', repository(), 'part')
    git(dir, 'commit', '-qm', 'part')
    writeFileSync(join(dir, 'part/a.txt'), 'inner\n')
    git(join(dir, 'part'), 'commit', '-qam', 'inner')
    mkdirSync(join(dir, 'stray'))
    git(join(dir, 'stray'), 'init', '-q')
    writeFileSync(join(dir, 'stray/x'), 'x')
    git(join(dir, 'stray'), 'add', '-A')
    git(join(dir, 'stray'), 'commit', '-qm', 'stray')
    const warnings: string[] = []
    const files = await kept(dir, { warn: (text) => warnings.push(text) })
    expect(Object.keys(files)).toEqual(['.gitignore', '.gitmodules', 'a.txt', 'b.txt', 'part'])
    expect(git(dir, 'rev-parse', 'exitgate/r1:part')).toBe(git(join(dir, 'part'), 'rev-parse', 'HEAD'))
    expect(warnings).toEqual(['Left out of the checkpoint: stray/ (a repository of its own).'])
  })

  const troubles: [name: string, make: (dir: string) => void, expected: Record<string, string>][] = [
    [
      'in the middle of a merge',
      (dir) => {
        conflict(dir)
        expect(() => git(dir, 'merge', 'side')).toThrow()
      },
      { ...START, 'a.txt': expect.stringContaining('<<<<<<<') },
    ],
    [
      'in the middle of a rebase',
      (dir) => {
        conflict(dir)
        expect(() => git(dir, 'rebase', 'side')).toThrow()
      },
      { ...START, 'a.txt': expect.stringContaining('<<<<<<<') },
    ],
    [
      'with a conflict whose file was deleted',
      (dir) => {
        conflict(dir)
        expect(() => git(dir, 'merge', 'side')).toThrow()
        rmSync(join(dir, 'a.txt'))
      },
      { '.gitignore': 'ignored\n', 'b.txt': 'two\n' },
    ],
    ['with a locked index', (dir) => writeFileSync(join(dir, '.git/index.lock'), ''), { ...START, 'new.txt': 'new\n' }],
    ['without an index', (dir) => rmSync(join(dir, '.git/index')), { ...START, 'new.txt': 'new\n' }],
    [
      'with files that git assumes to be unchanged',
      (dir) => {
        git(dir, 'update-index', '--assume-unchanged', 'a.txt')
        git(dir, 'update-index', '--skip-worktree', 'b.txt')
        writeFileSync(join(dir, 'a.txt'), 'hidden one\n')
        writeFileSync(join(dir, 'b.txt'), 'hidden two\n')
      },
      { ...START, 'a.txt': 'hidden one\n', 'b.txt': 'hidden two\n', 'new.txt': 'new\n' },
    ],
    [
      'with a sparse checkout',
      (dir) => {
        mkdirSync(join(dir, 'far'))
        writeFileSync(join(dir, 'far/c.txt'), 'three\n')
        git(dir, 'add', '-A')
        git(dir, 'commit', '-qm', 'far')
        git(dir, 'sparse-checkout', 'set', '--no-cone', '/*', '!/far')
        expect(existsSync(join(dir, 'far'))).toBe(false)
      },
      { ...START, 'far/c.txt': 'three\n', 'new.txt': 'new\n' },
    ],
    [
      'with line endings that git would warn about',
      (dir) => {
        git(dir, 'config', 'core.safecrlf', 'true')
        git(dir, 'config', 'core.autocrlf', 'input')
        writeFileSync(join(dir, 'crlf.txt'), 'x\r\ny\r\n')
      },
      { ...START, 'crlf.txt': 'x\ny\n', 'new.txt': 'new\n' },
    ],
  ]
  it.each(troubles)('contains work %s', async (_name, make, expected) => {
    const dir = repository()
    make(dir)
    if ('new.txt' in expected) writeFileSync(join(dir, 'new.txt'), 'new\n')
    expect(await kept(dir)).toEqual(expected)
  })

  it('contains work with an unreadable index', async () => {
    const dir = repository()
    writeFileSync(join(dir, 'ignored'), 'ignored and yet committed\n')
    git(dir, 'add', '-f', 'ignored')
    git(dir, 'commit', '-qm', 'more')
    writeFileSync(join(dir, '.git/index'), 'garbage')
    writeFileSync(join(dir, 'new.txt'), 'new\n')
    expect(await keep(dir)).toEqual(expect.objectContaining({ branch: 'exitgate/r1' }))
    expect(readFileSync(join(dir, '.git/index'), 'utf8')).toBe('garbage')
    expect(filesIn(dir, 'exitgate/r1')).toEqual({
      ...START,
      ignored: 'ignored and yet committed\n',
      'new.txt': 'new\n',
    })
  })

  it('contains work in a SHA-256 repository', async () => {
    const dir = repository('--object-format=sha256')
    writeFileSync(join(dir, 'a.txt'), 'more\n')
    expect(await kept(dir)).toEqual({ ...START, 'a.txt': 'more\n' })
  })

  it('contains all but files that are too large, and warns about those', async () => {
    const dir = repository()
    writeFileSync(join(dir, 'huge.bin'), '')
    truncateSync(join(dir, 'huge.bin'), 60 * 1024 * 1024)
    writeFileSync(join(dir, 'small.txt'), 'small\n')
    const warnings: string[] = []
    expect(await kept(dir, { warn: (text) => warnings.push(text) })).toEqual({ ...START, 'small.txt': 'small\n' })
    expect(warnings).toEqual(['Left out of the checkpoint: huge.bin (60 MB, more than 50 MB).'])
    expect(git(dir, 'log', '-1', '--format=%b', 'exitgate/r1').trim()).toBe(warnings[0])
  })

  it('removes what a killed process left, and nothing else', async () => {
    const dir = repository()
    const name = `exitgate-checkpoint-${process.getuid?.() ?? 0}-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`
    mkdirSync(join(temporary, name))
    writeFileSync(join(temporary, name, 'index'), 'garbage')
    writeFileSync(join(temporary, name, 'index.lock'), '')
    writeFileSync(join(dir, 'a.txt'), 'more\n')
    expect(await kept(dir)).toEqual({ ...START, 'a.txt': 'more\n' })
    symlinkSync(dir, join(temporary, name))
    writeFileSync(join(dir, 'a.txt'), 'still more\n')
    expect(await keep(dir)).toEqual(expect.objectContaining({ branch: 'exitgate/r1' }))
    expect(readdirSync(temporary)).toEqual([name])
    rmSync(join(temporary, name))
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('still more\n')
  })

  const names: [run: string, branch: string][] = [
    ['20260722-100000-1', 'exitgate/20260722-100000-1'],
    ['a b/c:d~e^', 'exitgate/a-b-c-d-e-'],
    ['..x..y.lock', 'exitgate/x.y'],
    ['...', 'exitgate/run'],
  ]
  it.each(names)('of the run %s is on the branch %s', async (run, branch) => {
    const dir = repository()
    writeFileSync(join(dir, 'a.txt'), 'more\n')
    expect(await keep(dir, { run })).toEqual(expect.objectContaining({ branch }))
  })
})

function conflict(dir: string): void {
  git(dir, 'checkout', '-q', '-b', 'side')
  writeFileSync(join(dir, 'a.txt'), 'side\n')
  git(dir, 'commit', '-qam', 'side')
  git(dir, 'checkout', '-q', 'main')
  writeFileSync(join(dir, 'a.txt'), 'main\n')
  git(dir, 'commit', '-qam', 'main')
}

describe('a checkpoint runs no program that the repository configures', () => {
  const traps: [name: string, set: (dir: string, program: string) => void][] = [
    [
      'hooks',
      (dir, program) => {
        for (const hook of ['pre-commit', 'post-commit', 'commit-msg', 'reference-transaction', 'post-index-change'])
          symlinkSync(program, join(dir, '.git/hooks', hook))
      },
    ],
    [
      'hooks in another folder',
      (dir, program) => {
        mkdirSync(join(dir, 'hooks'))
        symlinkSync(program, join(dir, 'hooks/reference-transaction'))
        symlinkSync(program, join(dir, 'hooks/post-index-change'))
        git(dir, 'config', 'core.hooksPath', 'hooks')
      },
    ],
    [
      'signing',
      (dir, program) => {
        git(dir, 'config', 'commit.gpgSign', 'true')
        git(dir, 'config', 'gpg.program', program)
      },
    ],
    ['a file system monitor', (dir, program) => git(dir, 'config', 'core.fsmonitor', program)],
    [
      'filters',
      (dir, program) => {
        writeFileSync(join(dir, '.gitattributes'), '*.txt filter=evil\n')
        git(dir, 'config', 'filter.evil.clean', program)
        git(dir, 'config', 'filter.evil.process', program)
        git(dir, 'config', 'filter.evil.required', 'true')
      },
    ],
    [
      'filters in an included file',
      (dir, program) => {
        writeFileSync(join(dir, '.gitattributes'), '*.txt filter=lfs\n')
        writeFileSync(join(dir, '.git/more'), `[filter "lfs"]\n\tclean = ${program}\n\trequired = true\n`)
        git(dir, 'config', 'include.path', 'more')
      },
    ],
    [
      'a git in the workspace',
      (dir, program) => {
        mkdirSync(join(dir, 'bin'))
        symlinkSync(program, join(dir, 'bin/git'))
        process.env.PATH = `${join(dir, 'bin')}:${before.PATH}`
      },
    ],
  ]
  it.each(traps)('%s', async (_name, set) => {
    const dir = repository()
    const seen = join(base, `seen${made++}`)
    const program = join(base, `program${made++}`)
    writeFileSync(program, `#!/bin/sh\necho run >> '${seen}'\ncat\n`)
    chmodSync(program, 0o755)
    try {
      set(dir, program)
      writeFileSync(join(dir, 'new.txt'), 'new\n')
      const done = await keep(dir)
      expect(done).toEqual(expect.objectContaining({ branch: 'exitgate/r1' }))
      expect(existsSync(seen)).toBe(false)
      expect(git(dir, 'cat-file', '-p', 'exitgate/r1:new.txt')).toBe('new\n')
      expect(git(dir, 'cat-file', '-p', 'exitgate/r1')).not.toContain('gpgsig')
    } finally {
      process.env.PATH = before.PATH
    }
  })

  it('except a filter that the user configured', async () => {
    const dir = repository()
    writeFileSync(join(userEnv.HOME, '.gitconfig'), '[filter "loud"]\n\tclean = tr a-z A-Z\n')
    try {
      writeFileSync(join(dir, '.gitattributes'), 'loud.txt filter=loud\n')
      writeFileSync(join(dir, 'loud.txt'), 'hey\n')
      await keep(dir)
      expect(git(dir, 'cat-file', '-p', 'exitgate/r1:loud.txt')).toBe('HEY\n')
    } finally {
      rmSync(join(userEnv.HOME, '.gitconfig'))
    }
  })
})

describe('there is no checkpoint', () => {
  it('without a repository, or without the folder', async () => {
    const plain = join(base, `p${made++}`)
    mkdirSync(plain)
    expect(await keep(plain)).toBeUndefined()
    expect(await keep(join(plain, 'gone'))).toBeUndefined()
  })

  const traps: [name: string, set: (dir: string) => void, problem: string][] = [
    [
      'if its branch is checked out',
      (dir) => git(dir, 'checkout', '-q', '-b', 'exitgate/r1'),
      'The branch exitgate/r1 is checked out. Check out another one.',
    ],
    [
      'if its branch is checked out in another worktree',
      (dir) => git(dir, 'worktree', 'add', '-q', '-b', 'exitgate/r1', join(base, `w${made++}`)),
      'The branch exitgate/r1 is checked out. Check out another one.',
    ],
    [
      'if its branch is a symbolic ref',
      (dir) => git(dir, 'symbolic-ref', 'refs/heads/exitgate/r1', 'refs/heads/main'),
      'The branch exitgate/r1 is a symbolic ref to refs/heads/main. Delete it.',
    ],
    [
      'if another branch blocks the name',
      (dir) => git(dir, 'branch', 'exitgate'),
      'The branch "exitgate" prevents creating exitgate/r1. Rename it.',
    ],
    [
      'if a filter cannot be turned off because of its name',
      (dir) => git(dir, 'config', 'filter.a=b.clean', 'cat'),
      'The filter "a=b" in the repository\'s git configuration can\'t be turned off.',
    ],
  ]
  it.each(traps)('%s', async (_name, set, problem) => {
    const dir = repository()
    set(dir)
    const stateBefore = userState(dir)
    const main = git(dir, 'rev-parse', 'main')
    writeFileSync(join(dir, 'a.txt'), 'more\n')
    expect(await keep(dir)).toEqual({ problem: `No checkpoint of iteration 4: ${problem}` })
    expect(git(dir, 'rev-parse', 'main')).toBe(main)
    expect(userState(dir)).toEqual({ ...stateBefore, status: expect.anything() })
  })
})

it('two workspaces of one repository can make checkpoints at the same time', async () => {
  const top = repository()
  const workspaces = ['a', 'b'].map((name) => join(top, 'packages', name))
  for (const dir of workspaces) mkdirSync(dir, { recursive: true })
  for (let round = 0; round < 5; round++) {
    for (const dir of workspaces) writeFileSync(join(dir, 'work.txt'), `round ${round}\n`)
    const made = await Promise.all(workspaces.map((dir, n) => keep(dir, { run: `at-once-${n}` })))
    expect(made).toEqual(workspaces.map((_, n) => ({ branch: `exitgate/at-once-${n}`, commit: expect.any(String) })))
    const trees = workspaces.map((_, n) => filesIn(top, `exitgate/at-once-${n}`))
    expect(trees.map((files, n) => files[n === 0 ? 'packages/a/work.txt' : 'packages/b/work.txt'])).toEqual(
      workspaces.map(() => `round ${round}\n`),
    )
  }
})
