import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
