import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import { restoreWork } from '../../src/fleet/git-transfer/restore.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-transfer-test-')))
let places = 0
afterAll(() => rmSync(root, { recursive: true, force: true }), 60_000)

/** The worker's environment in these tests, independent of the machine they run on. */
export const env = {
  PATH: process.env.PATH ?? '',
  HOME: join(root, 'home'),
  GIT_CONFIG_NOSYSTEM: '1',
}
mkdirSync(env.HOME)

export const newPlace = (): string => {
  const dir = join(root, `place-${++places}`)
  mkdirSync(dir)
  return dir
}

/** git as a user or an agent calls it. */
export function git(dir: string, ...args: readonly string[]): string {
  const ran = spawnSync('git', args, { cwd: dir, env, encoding: 'latin1' })
  if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`)
  return ran.stdout
}

export function write(dir: string, path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), content, { mode })
}

export const COMMITTER = ['-c', 'user.name=A', '-c', 'user.email=a@b.c'] as const

type Files = Readonly<Record<string, string | Buffer>>

/** Remotes by their files. They are made once and copied from then on. */
const remotes = new Map<string, string>()

function remoteWith(files: Files): string {
  const key = JSON.stringify(files)
  const known = remotes.get(key)
  if (known !== undefined) return known
  const place = newPlace()
  git(place, 'init', '-q', '-b', 'main', 'first')
  const first = join(place, 'first')
  for (const [path, content] of Object.entries(files)) write(first, path, content)
  git(first, 'add', '-A')
  git(first, ...COMMITTER, 'commit', '-q', '--allow-empty', '-m', 'first')
  git(place, 'clone', '-q', '--bare', 'first', 'remote.git')
  remotes.set(key, join(place, 'remote.git'))
  return join(place, 'remote.git')
}

/** A bare remote with one commit of some files, and a clone of it. */
export async function project(files: Files = { 'a.txt': 'one\n' }) {
  const place = newPlace()
  const remote = join(place, 'remote.git')
  cpSync(remoteWith(files), remote, { recursive: true })
  const work = join(place, 'work')
  const cache = join(place, 'cache')
  await restoreWork(work, { remote, cache, env, from: { branch: 'exitgate/task' } })
  return { place, remote, cache, work }
}

const UPSTREAM = /# branch\.(?:upstream|ab) [^\0]*\0/g

/** Everything git shows of a workspace, byte for byte. */
export const shown = (dir: string) => ({
  // With HEAD's commit and branch. Its upstream is not part of the work.
  status: git(dir, 'status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all').replace(UPSTREAM, ''),
  diff: git(dir, 'diff', '--binary', '--no-ext-diff'),
  cached: git(dir, 'diff', '--cached', '--binary', '--no-ext-diff'),
  // Git shows no mode for files added with `git add -N`.
  index: git(dir, 'ls-files', '-v', '-s', '-z').replace(/\d{6} (?=e69de29bb2d1d643)/g, ''),
  branches: git(dir, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads'),
})
