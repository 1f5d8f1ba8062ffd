import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { askGit } from '../../src/system/git.ts'
import { sources } from '../source-tree.ts'

let root = ''
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-git-')))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A repository with two commits and a file that changed without changing its size. */
function repository(name: string) {
  const dir = join(root, name)
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { stdio: 'pipe' })
      .toString()
      .trim()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text, { mode: 0o755 })
  }
  mkdirSync(dir)
  git('init', '-q', '-b', 'main')
  for (const n of [1, 2]) {
    write('a.txt', `${n}\n`)
    git('add', '-A')
    git('commit', '-qm', `${n}`)
  }
  write('a.txt', '3\n')
  return { dir, git, write, marker: join(dir, 'started') }
}
type Repository = ReturnType<typeof repository>

describe('git starts no program that the repository names', () => {
  const leaves = ({ marker }: Repository) => `touch ${marker}; cat`
  const rows: Readonly<Record<string, (repo: Repository) => unknown>> = {
    'a clean filter': (repo) => {
      repo.git('config', 'filter.x.clean', leaves(repo))
      repo.write('.git/info/attributes', '* filter=x\n')
    },
    'a filter process in an included file': (repo) => {
      repo.write('.git/more', `[filter "x"]\n\tprocess = "${leaves(repo)}"\n\trequired = true\n`)
      repo.git('config', 'include.path', 'more')
      repo.write('.gitattributes', '* filter=x\n')
    },
    'a file system monitor': (repo) => repo.git('config', 'core.fsmonitor', leaves(repo)),
    'a hook': (repo) => repo.write('.git/hooks/post-index-change', `#!/bin/sh\n${leaves(repo)}\n`),
    'an external diff': (repo) => repo.git('config', 'diff.external', leaves(repo)),
    'a text conversion': (repo) => {
      repo.git('config', 'diff.x.textconv', leaves(repo))
      repo.write('.gitattributes', '* diff=x\n')
    },
    'a pager and an alias': (repo) => {
      repo.git('config', 'core.pager', leaves(repo))
      repo.git('config', 'alias.status', `!${leaves(repo)}`)
    },
    'a signature program': (repo) => {
      repo.git('config', 'log.showSignature', 'true')
      repo.git('config', 'gpg.program', leaves(repo))
    },
    'a remote that fetches missing objects': (repo) => {
      repo.git('config', 'remote.origin.url', `ext::sh -c "touch ${repo.marker}"`)
      repo.git('config', 'remote.origin.promisor', 'true')
      repo.git('config', 'protocol.ext.allow', 'always')
      repo.git('config', 'extensions.partialClone', 'origin')
      const blob = repo.git('rev-parse', 'HEAD~1:a.txt')
      rmSync(join(repo.dir, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    },
  }
  it.each(Object.entries(rows))('%s', async (name, arrange) => {
    const repo = repository(name.replaceAll(' ', '-'))
    arrange(repo)
    const { git, list } = openWorkspace(repo.dir)
    await list()
    const asked = [
      ['status', '--porcelain=v2', '--untracked-files=all'],
      ['ls-files', '-m'],
      ['diff', 'HEAD'],
      ['-c', 'core.safecrlf=false', 'diff', 'HEAD~1', 'HEAD'],
      ['log', '-1', '-p'],
      ['cat-file', '-p', 'HEAD~1:a.txt'],
    ]
    for (const args of asked) await git(args)
    expect(existsSync(repo.marker)).toBe(false)
  })

  it('sees the history as it is: no replaced commit, no other parents', async () => {
    const repo = repository('history')
    const [first, second] = [repo.git('rev-parse', 'HEAD~1'), repo.git('rev-parse', 'HEAD')]
    repo.git('replace', first, second)
    repo.write('.git/info/grafts', `${second}\n`)
    const { git } = openWorkspace(repo.dir)
    expect(await git(['rev-list', 'HEAD'])).toBe(`${second}\n${first}\n`)
    expect(await git(['show', `${first}:a.txt`])).toBe('1\n')
  })

  it("uses nothing of the caller's git variables", async () => {
    const [repo, other] = [repository('own'), repository('other')]
    const env = {
      ...process.env,
      GIT_DIR: join(other.dir, '.git'),
      GIT_INDEX_FILE: '/dev/null',
      GIT_WORK_TREE: other.dir,
    }
    const { out } = await askGit(repo.dir, ['rev-parse', '--show-toplevel'], env)
    expect(out.trim()).toBe(repo.dir)
  })
})

describe('git starts no filter, wherever the repository keeps its configuration', () => {
  const attributes = '* filter=x\n'
  const filter = ({ marker }: Repository, section = 'filter "x"') => `[${section}]\n\tclean = "touch ${marker}; cat"\n`
  const config = (repo: Repository, text: string) => appendFileSync(join(repo.dir, '.git/config'), text)
  /** Another repository in `folder`, without `.git`, for git to find. */
  const bareIn = (repo: Repository, folder: string) => {
    for (const name of ['objects', 'refs']) mkdirSync(join(repo.dir, folder, name), { recursive: true })
    repo.write(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
    repo.write(join(folder, 'config'), `[core]\n\trepositoryformatversion = 0\n${filter(repo)}`)
  }
  /** Returns the folder to open, if it is not the top. */
  const rows: Readonly<Record<string, (repo: Repository) => string | undefined>> = {
    'in capitals': (repo) => void config(repo, filter(repo, 'FILTER "x"')),
    'with a dot instead of quotes': (repo) => void config(repo, filter(repo, 'Filter.x')),
    'on one line, after another section': (repo) =>
      void config(repo, `[core] [filter "x"] clean = "touch ${repo.marker}; cat"`),
    'after a byte order mark, with Windows line ends': (repo) => {
      const text = `${readFileSync(join(repo.dir, '.git/config'), 'utf8')}${filter(repo)}`
      repo.write('.git/config', `\ufeff${text.replaceAll('\n', '\r\n')}`)
      return undefined
    },
    'beside bytes that are not UTF-8': (repo) => {
      config(repo, filter(repo))
      appendFileSync(join(repo.dir, '.git/config'), Buffer.from('# \xff\n', 'latin1'))
      return undefined
    },
    'in a file that a condition includes': (repo) => {
      repo.write('.git/more', filter(repo))
      return void config(repo, `[IncludeIf "gitdir:${repo.dir}/"]\n\tpath = more\n`)
    },
    'in a configuration that is a link': (repo) => {
      config(repo, filter(repo))
      renameSync(join(repo.dir, '.git/config'), join(repo.dir, '.git/other'))
      return void symlinkSync('other', join(repo.dir, '.git/config'))
    },
    'in the configuration of the worktree': (repo) => {
      repo.git('config', 'extensions.worktreeConfig', 'true')
      return void repo.write('.git/config.worktree', filter(repo))
    },
    'in the repository of a worktree': (repo) => {
      config(repo, filter(repo))
      repo.git('worktree', 'add', '-q', 'tree')
      return 'tree'
    },
    'in the configuration of another worktree': (repo) => {
      repo.git('worktree', 'add', '-q', 'tree')
      repo.git('config', 'extensions.worktreeConfig', 'true')
      repo.write('.git/worktrees/tree/config.worktree', filter(repo))
      return 'tree'
    },
    'in another folder that the repository names as the shared one': (repo) => {
      cpSync(join(repo.dir, '.git'), join(repo.dir, 'shared'), { recursive: true })
      appendFileSync(join(repo.dir, 'shared/config'), filter(repo))
      return void repo.write('.git/commondir', '../shared\n')
    },
    'in a repository that `.git` names through a link and `..`': (repo) => {
      mkdirSync(join(repo.dir, 'elsewhere/deep'), { recursive: true })
      cpSync(join(repo.dir, '.git'), join(repo.dir, 'elsewhere/git'), { recursive: true })
      appendFileSync(join(repo.dir, 'elsewhere/git/config'), filter(repo))
      renameSync(join(repo.dir, '.git'), join(repo.dir, 'git'))
      symlinkSync('elsewhere/deep', join(repo.dir, 'link'))
      return void repo.write('.git', 'gitdir: link/../git\n')
    },
    'in a `.git` that is a link': (repo) => {
      config(repo, filter(repo))
      renameSync(join(repo.dir, '.git'), join(repo.dir, 'git'))
      return void symlinkSync('git', join(repo.dir, '.git'))
    },
    'in a folder of the repository that is one itself': (repo) => {
      bareIn(repo, 'inner')
      repo.write('inner/a.txt', '4\n')
      return 'inner'
    },
  }
  const started = (repo: Repository, folder: string): boolean => {
    const env = { ...process.env, GIT_WORK_TREE: join(repo.dir, folder === 'inner' ? '' : folder) }
    execFileSync('git', ['-C', join(repo.dir, folder), 'add', '-An', '.'], { stdio: 'pipe', env })
    execFileSync('git', ['-C', join(repo.dir, folder), 'hash-object', 'a.txt'], { stdio: 'pipe', env })
    return existsSync(repo.marker)
  }
  it.each(Object.entries(rows))('%s', async (_name, arrange) => {
    const repo = repository(`where-${Object.keys(rows).indexOf(_name)}`)
    const folder = arrange(repo) ?? ''
    repo.write(join(folder, '.gitattributes'), attributes)
    repo.write(join(folder, 'a.txt'), '3\n')
    const { git } = openWorkspace(join(repo.dir, folder))
    for (const args of [['status', '--porcelain=v2'], ['ls-files', '-m'], ['diff'], ['hash-object', 'a.txt']])
      await git(args)
    expect(existsSync(repo.marker)).toBe(false)
    // Without our settings, git does start it.
    expect(started(repo, folder)).toBe(true)
  })

  it('a broken repository is not replaced by the one around it', async () => {
    const repo = repository('around')
    mkdirSync(join(repo.dir, 'inner/.git'), { recursive: true })
    repo.write('inner/.git/HEAD', 'ref: refs/heads/main\n')
    const { problem } = await askGit(join(repo.dir, 'inner'), ['status'])
    expect(problem).toBe('This is not a git repository.')
  })
})

describe('exitgate asks git for its configuration only if files of the repository may name programs', () => {
  const rows: Readonly<Record<string, readonly [asked: boolean, arrange: (repo: Repository) => string | undefined]>> = {
    'a new repository': [false, () => undefined],
    'a clone with a branch': [false, (repo) => void repo.git('config', 'branch.main.merge', 'refs/heads/main')],
    'a partial clone': [false, (repo) => void repo.git('config', 'remote.origin.partialclonefilter', 'blob:none')],
    'a worktree': [
      false,
      (repo) => {
        repo.git('worktree', 'add', '-q', 'tree')
        return 'tree'
      },
    ],
    'a folder of the repository': [
      false,
      (repo) => {
        repo.write('inner/b.txt', '1\n')
        return 'inner'
      },
    ],
    'a merge driver': [true, (repo) => void repo.git('config', 'merge.x.driver', 'true')],
    'an included file': [true, (repo) => void repo.git('config', 'include.path', 'more')],
    'a file named HEAD': [true, (repo) => void repo.write('HEAD', 'x')],
    'a configuration of the worktree that is a pipe': [
      true,
      (repo) => void execFileSync('mkfifo', [join(repo.dir, '.git/config.worktree')]),
    ],
  }
  it.each(Object.entries(rows))('%s', async (name, [asked, arrange]) => {
    const repo = repository(`asks-${Object.keys(rows).indexOf(name)}`)
    const folder = arrange(repo) ?? ''
    const bin = join(root, `bin-${Object.keys(rows).indexOf(name)}`)
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> ${bin}/log\nPATH=\${PATH#*:} exec git "$@"\n`, {
      mode: 0o755,
    })
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
    expect(await askGit(join(repo.dir, folder), ['status', '--porcelain'], env)).not.toHaveProperty('problem')
    const calls = readFileSync(join(bin, 'log'), 'utf8').trim().split('\n')
    expect(calls.map((call) => / config -z /.test(call))).toEqual(asked ? [true, false] : [false])
  })
})

it('every git of exitgate is started in one place, and by these modules', () => {
  const texts = sources('src').map(({ path, text }) => [path, text] as const)
  const starting = texts.filter(([, text]) => /(?:spawn|exec|execFile|fork)(?:Sync)?\(\s*['"`]git\b/.test(text))
  expect(starting.map(([path]) => path)).toEqual(['src/system/git.ts', 'src/system/run-git.ts'])
  const using = texts.filter(([, text]) => /import \{[^}]*\brunGit\b[^}]*\} from/.test(text))
  expect(using.map(([path]) => path)).toEqual([
    // The demonstration's own temporary folder.
    'src/cli/commands/demo.ts',
    // Repositories of the fleet that no agent has touched: the user's settings apply, for the login.
    'src/fleet/git-transfer/own-git.ts',
    'src/system/git.ts',
  ])
})
