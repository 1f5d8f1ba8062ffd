import { spawnSync } from 'node:child_process'
import { createHash, type Hash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer, Evidence } from '../types.ts'

export interface GitEvidence {
  readonly changed: Evidence
  readonly clean: Evidence
  /** The commit checked out; absent before the first one. */
  readonly head?: string
  /** Identity of the content of the workspace; empty when git cannot tell. */
  readonly tree: string
}

export interface GitOptions {
  /** Paths from the top of the repository, or prefixes that end in `/`, that are not the agent's work: our own files. */
  readonly ignore?: readonly string[]
}

interface Entry {
  /** The status line without the path: kinds of change and object ids. */
  readonly status: string
  readonly path: string
}

/** What the repository or the environment might bring along must not run or redirect anything. */
const SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'core.quotePath=false']
const FIXED = ['--no-pager', '--no-optional-locks', ...SETTINGS.flatMap((setting) => ['-c', setting])]

function git(dir: string, args: readonly string[]): { out: string; problem?: string } {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = { ...Object.fromEntries(inherited), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
  const options = { cwd: dir, env, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, timeout: 60_000 } as const
  const done = spawnSync('git', [...FIXED, ...args], options)
  if (done.error !== undefined) {
    const missing = (done.error as NodeJS.ErrnoException).code === 'ENOENT'
    return { out: '', problem: missing ? 'Git or the directory is missing.' : `Git failed: ${done.error.message}.` }
  }
  if (done.status === 0) return { out: done.stdout }
  const said = done.stderr.trim().split('\n')[0] ?? ''
  const outside = /not a git repository|must be run in a work tree/.test(said)
  return {
    out: '',
    problem: outside ? 'This is not a git repository.' : `Git failed: ${said || `exit ${done.status}`}.`,
  }
}

/** Ordinary entries have eight fields before the path, conflicts ten, untracked files one. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

function parseStatus(out: string): { head?: string; entries: Entry[] } {
  const entries: Entry[] = []
  let head: string | undefined
  for (const line of out.split('\0')) {
    const oid = /^# branch\.oid ([0-9a-f]{40,64})$/.exec(line)
    if (oid !== null) head = oid[1]!
    const fields = FIELDS[line[0] ?? '']
    if (fields === undefined) continue
    const parts = line.split(' ')
    entries.push({ status: parts.slice(0, fields).join(' '), path: parts.slice(fields).join(' ') })
  }
  return { ...(head !== undefined && { head }), entries }
}

const WHOLE = 1024 * 1024
const SAMPLE = 64 * 1024
const MOST_FILES = 2_000

/** Small files whole, large ones by size and both ends: cheap, and different enough to notice work. */
function addContent(hash: Hash, path: string): void {
  try {
    const stat = lstatSync(path)
    hash.update(`\0${stat.isSymbolicLink() ? readlinkSync(path) : stat.size}\0${stat.mode & 0o111}\0`)
    if (!stat.isFile()) return
    if (stat.size <= WHOLE) {
      hash.update(readFileSync(path))
      return
    }
    const file = openSync(path, 'r')
    const part = Buffer.alloc(SAMPLE)
    for (const at of [0, stat.size - SAMPLE]) hash.update(part.subarray(0, readSync(file, part, 0, SAMPLE, at)))
    closeSync(file)
  } catch {
    hash.update('\0gone')
  }
}

function identity(top: string, base: string, entries: readonly Entry[]): string {
  const hash = createHash('sha256').update(base)
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const [index, entry] of sorted.entries()) {
    hash.update(`\0${entry.status}\0${entry.path}`)
    if (index < MOST_FILES) addContent(hash, join(top, entry.path))
  }
  return `${base}-${hash.digest('hex').slice(0, 16)}`
}

/** Untracked and added files are created, the rest is told by the letters of its change. */
function kinds(letters: readonly string[]): Record<string, number> {
  const deleted = letters.filter((letter) => letter.includes('D')).length
  const created = letters.filter((letter) => /[?A]/.test(letter) && !letter.includes('D')).length
  return { files: letters.length, created, modified: letters.length - created - deleted, deleted }
}

const some = (paths: readonly string[]) =>
  paths.slice(0, 3).join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '')

const TREE = /^(?:[0-9a-f]{40,64}|unborn)-[0-9a-f]{16}$/
type Found = [answer: Answer, detail: string, counts?: Record<string, number>]

/** What git shows of the work since a commit, or since the `tree` of an earlier call; work already dirty then is not new. */
export function collectGit(dir: string, since?: string, options: GitOptions = {}): GitEvidence {
  const started = performance.now()
  const skip = options.ignore ?? []
  const ours = (path: string) => skip.some((name) => path === name || (name.endsWith('/') && path.startsWith(name)))
  const answer = (tree: string, check: string, [found, detail, counts]: Found): Evidence => {
    const ms = Math.round(performance.now() - started)
    return { check, answer: found, detail, ...(counts !== undefined && { counts }), ms, tree }
  }
  const nothing = (problem: string): GitEvidence => {
    const unknown: Found = ['unknown', problem]
    return { changed: answer('', 'changed', unknown), clean: answer('', 'clean', unknown), tree: '' }
  }

  const asked = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=all', '--', '.']
  const status = git(dir, asked)
  if (status.problem !== undefined) return nothing(status.problem)
  const [top = '', prefix = ''] = git(dir, ['rev-parse', '--show-toplevel', '--show-prefix']).out.split('\n')
  if (prefix !== '' && git(dir, ['check-ignore', '-q', '.']).problem === undefined) {
    return nothing('The repository around this directory ignores it.')
  }
  const { head, entries: all } = parseStatus(status.out)
  const entries = all.filter((entry) => !ours(entry.path))
  const dirty = entries.map((entry) => entry.path)
  const base = head === undefined ? 'unborn' : git(dir, ['rev-parse', 'HEAD:./']).out.trim() || head
  const tree = identity(top, base, entries)

  const now = kinds(entries.map(({ status }) => status.split(' ')[1] ?? '?'))
  const same: Found = ['no', 'Nothing has changed since the start.', kinds([])]
  const committed = (): Found => {
    const range = ['diff', '--name-status', '-z', '--no-renames', '--no-ext-diff', '--no-textconv']
    const diff = git(dir, [...range, since!, 'HEAD', '--', '.'])
    if (diff.problem !== undefined) return ['unknown', `The starting point ${since} is not known here. ${diff.problem}`]
    const fields = diff.out.split('\0')
    const changes = fields.flatMap((letter, at) =>
      at % 2 === 0 && letter !== '' ? [[letter, fields[at + 1]!] as const] : [],
    )
    const work = changes.filter(([, path]) => !ours(path))
    if (work.length === 0) return same
    return [
      'yes',
      `Committed since the start: ${some(work.map(([, path]) => path))}.`,
      kinds(work.map(([letter]) => letter)),
    ]
  }
  const changed = (): Found => {
    if (since !== undefined && TREE.test(since)) {
      if (since === tree) return same
      return ['yes', dirty.length > 0 ? `Changed: ${some(dirty)}.` : 'The content has changed since the start.', now]
    }
    if (dirty.length > 0) return ['yes', `Changed and not committed: ${some(dirty)}.`, now]
    if (since === undefined)
      return ['unknown', 'Nothing is uncommitted; without a starting point commits do not tell.', now]
    return since.startsWith('-') ? ['unknown', 'The starting point is not a commit.'] : committed()
  }
  const isClean: Found =
    dirty.length === 0 ? ['yes', 'Nothing is uncommitted.', now] : ['no', `Uncommitted: ${some(dirty)}.`, now]
  return {
    changed: answer(tree, 'changed', changed()),
    clean: answer(tree, 'clean', isClean),
    ...(head !== undefined && { head }),
    tree,
  }
}
