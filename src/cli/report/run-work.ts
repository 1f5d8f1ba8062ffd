import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { FileDiff } from '../../core/file-diff.ts'
import type { JournalEvent } from '../../core/journal/events.ts'
import type { Work } from '../../core/types.ts'
import { algorithmOf, contentId } from '../../evidence/baseline/content-id.ts'
import { openBaseline } from '../../evidence/baseline/open.ts'
import type { FullBaseline } from '../../evidence/baseline/stored-baseline.ts'
import { diffOfCommits, diffSince, diffsOfCommits } from '../../evidence/work-diff.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { handoffs, type RepositoryFacts } from '../../reports/page/handoff.ts'
import type { SafeText } from '../../reports/page/safe-text.ts'
import type { Diff, IterationDiff, RunCommit, RunWork } from '../../reports/page/types.ts'
import type { Environment } from '../../system/environment.ts'
import { findProgram } from '../../system/find-program.ts'
import { askGit, pathOutside, repositoryPath } from '../../system/git.ts'

/** What the journal says about the files of the wanted run. */
export interface WorkRecord {
  run?: string
  ended: boolean
  baselineId?: string
  /** The files as they were at the last claim. */
  work?: Work
  checkpoints: { readonly iteration: number; readonly branch: string; readonly commit: string }[]
}

/** Passes the events on, and keeps what they say about the files of one run (default: the newest). */
export function* keepWork(
  events: Iterable<JournalEvent>,
  wanted: string | undefined,
  record: WorkRecord,
): Generator<JournalEvent, void> {
  let isWanted = false
  for (const event of events) {
    if (event.type === 'run.started') {
      isWanted = wanted === undefined || event.run === wanted
      const { run, baselineId } = event
      if (isWanted) Object.assign(record, { run, ended: false, baselineId, work: undefined, checkpoints: [] })
    }
    if (isWanted) keep(event, record)
    yield event
  }
}

function keep(event: JournalEvent, record: WorkRecord): void {
  if (event.type === 'run.ended') record.ended = true
  if (event.type === 'run.resumed') record.ended = false
  if (event.type === 'checkpoint') record.checkpoints.push(event)
  const work = event.type === 'iteration.decided' ? event.observation.evidence.changed?.work : undefined
  if (work !== undefined) record.work = work
}

/** A browser can show more, but you won't read it. */
const MOST_CHARACTERS = 8 * 1024 * 1024
const MOST_ITERATIONS = 200
const MOST_COMMITS = 200
const REPLACED = 'A later run replaced the stored files of this one. With --checkpoint, exitgate keeps every iteration.'

interface Place {
  /** The project folder of the command. */
  readonly workspace: string
  readonly dir: string
  readonly env: Environment
}

/** What a run did to the files: all of it, by iteration, and as commands to take it or throw it away. */
export async function workOf({ workspace, dir, env }: Place, record: WorkRecord, safe: SafeText): Promise<RunWork> {
  const stored = storedBaseline(dir, record)
  const baseline = typeof stored === 'string' ? undefined : stored
  const folder = baseline?.workspace ?? workspace
  if (!existsSync(folder)) return { why: `The folder ${folder} no longer exists.`, iterations: [], commits: [] }
  const since = baseline?.head ?? record.work?.since
  const files = await totalOf(folder, baseline, record)
  const shown = files && bounded(files, { left: MOST_CHARACTERS }, safe)
  const note = baseline !== undefined && record.ended ? changedLater(folder, record.work, files ?? []) : undefined
  const repository = await repositoryFacts(folder, { since, files: files ?? [], baseline, record, env })
  const commits = since === undefined ? [] : await commitsOf(folder, since, record.work?.head ?? 'HEAD', safe)
  const isOver = record.ended && (files?.length ?? 0) > 0 && baseline !== undefined
  return {
    ...(shown === undefined ? { why: typeof stored === 'string' ? stored : REPLACED } : { total: shown }),
    ...(note === undefined ? {} : { note }),
    iterations: await iterationsOf(folder, record, safe),
    commits,
    ...(isOver &&
      handoffs({
        run: record.run ?? '',
        ...(relative(workspace, folder) === '' ? {} : { folder }),
        ...(repository && { repository }),
      })),
  }
}

/** The baseline that the run started from, or why it can't be used. */
function storedBaseline(dir: string, { baselineId }: WorkRecord): FullBaseline | string {
  if (baselineId === undefined) return 'This run has no baseline, so there is nothing to compare the files with.'
  try {
    const found = openBaseline(dir)
    return found?.id === baselineId ? found : REPLACED
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function totalOf(
  folder: string,
  baseline: FullBaseline | undefined,
  { checkpoints, work }: WorkRecord,
): Promise<readonly FileDiff[] | undefined> {
  if (baseline !== undefined) return diffSince(baseline, openWorkspace(folder))
  const [first, last] = [checkpoints[0], checkpoints.at(-1)]
  if (first !== undefined && last !== undefined) return diffOfCommits(folder, `${first.commit}^`, last.commit)
  const { since, head } = work ?? {}
  return since === undefined || head === undefined || since === head ? undefined : diffOfCommits(folder, since, head)
}

/** The last claim recorded the contents, so a later change shows. */
function changedLater(folder: string, work: Work | undefined, files: readonly FileDiff[]): string | undefined {
  if (work === undefined) return undefined
  const algorithm = algorithmOf(work.since ?? '')
  const now = (path: string): string => contentId(join(folder, path), algorithm) ?? ''
  const isSame = Object.entries(work.files).every(([path, [, after]]) => now(path) === after)
  return isSame && files.every(({ path }) => Object.hasOwn(work.files, path))
    ? undefined
    : 'Files have changed since the last claim of this run. The diff shows them as they are now.'
}

async function iterationsOf(
  folder: string,
  { checkpoints }: WorkRecord,
  safe: SafeText,
): Promise<readonly IterationDiff[]> {
  const last = checkpoints.at(-1)
  if (last === undefined) return []
  const numbers = new Map(checkpoints.map(({ commit, iteration }) => [commit, iteration]))
  const most = Math.min(checkpoints.length, MOST_ITERATIONS)
  const room = { left: MOST_CHARACTERS }
  const found = await diffsOfCommits(folder, undefined, last.commit, most)
  return found.flatMap(({ commit, files }) => {
    const n = numbers.get(commit)
    return n === undefined ? [] : [{ n, commit, ...bounded(files, room, safe) }]
  })
}

async function commitsOf(folder: string, since: string, head: string, safe: SafeText): Promise<readonly RunCommit[]> {
  const format = '--format=%H%x00%ct%x00%s%x00'
  const { out, problem } = await askGit(folder, [
    'log',
    `--max-count=${MOST_COMMITS}`,
    format,
    `${since}..${head}`,
    '--',
  ])
  if (problem !== undefined) return []
  const fields = out.split('\0')
  return Array.from({ length: Math.floor(fields.length / 3) }, (_, n) => ({
    id: (fields[3 * n] ?? '').trim(),
    at: 1000 * Number(fields[3 * n + 1]),
    subject: safe.line(fields[3 * n + 2] ?? '', 300),
  }))
}

/** Redacted, and without hunks once there is no room left. */
function bounded(files: readonly FileDiff[], room: { left: number }, safe: SafeText): Diff {
  const sum = (of: (file: FileDiff) => number): number => files.reduce((all, file) => all + of(file), 0)
  return {
    files: files.map(({ hunks, ...file }) => {
      const path = safe.line(file.path, 400)
      if (hunks === undefined) return { ...file, path }
      if (hunks.length > room.left) return { ...file, path, why: 'left out, because the report would be too large' }
      room.left -= hunks.length
      // A carriage return inside a line must not become a line of its own.
      return { ...file, path, hunks: safe.block(hunks.replaceAll('\r', '\u240d'), Number.POSITIVE_INFINITY) }
    }),
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
  }
}

interface About {
  readonly since: string | undefined
  readonly files: readonly FileDiff[]
  readonly baseline: FullBaseline | undefined
  readonly record: WorkRecord
  readonly env: Environment
}

async function repositoryFacts(folder: string, about: About): Promise<RepositoryFacts | undefined> {
  const place = repositoryPath(folder)
  if (place === undefined) return undefined
  const { since, files, baseline, record, env } = about
  const ask = async (...args: readonly string[]): Promise<string | undefined> => {
    const { out, problem } = await askGit(folder, args)
    return problem === undefined ? out.trim() : undefined
  }
  const [head, branch, status] = await Promise.all([
    ask('rev-parse', '--verify', '-q', 'HEAD^{commit}'),
    ask('symbolic-ref', '-q', '--short', 'HEAD'),
    askGit(folder, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all']),
  ])
  const dirty = new Set(status.out.split('\0').map((line) => line.slice(3)))
  const target = await targetOf(ask, branch, folder)
  const remote = await ask('config', '--get', 'remote.origin.url')
  const commits =
    since === undefined || head === undefined ? '0' : await ask('rev-list', '--count', `${since}..${head}`)
  const outside = { ...env, PATH: pathOutside(folder, env.PATH ?? '') }
  const checkpoints = record.checkpoints.at(-1)?.branch
  return {
    ...(since === undefined ? {} : { since }),
    ...(head === undefined ? {} : { head }),
    ...(branch === undefined ? {} : { branch }),
    ...(target === undefined ? {} : { target }),
    commits: Number(commits ?? 0),
    uncommitted: files.flatMap(({ path }) => (dirty.has(place.prefix + path) ? [path] : [])),
    cleanBefore: baseline?.evidence.clean?.answer === 'yes',
    ...(checkpoints === undefined ? {} : { checkpoints }),
    canOpenPullRequest: remote !== undefined && findProgram('gh', folder, outside) !== undefined,
  }
}

/** The default branch, if the work is on another one. */
async function targetOf(
  ask: (...args: readonly string[]) => Promise<string | undefined>,
  branch: string | undefined,
  folder: string,
): Promise<RepositoryFacts['target']> {
  const remote = (await ask('symbolic-ref', '-q', '--short', 'refs/remotes/origin/HEAD'))?.replace(/^origin\//, '')
  const local = (await ask('for-each-ref', '--format=%(refname:short)', 'refs/heads/main', 'refs/heads/master')) ?? ''
  const name = remote ?? local.split('\n')[0] ?? ''
  if (branch === undefined || name === '' || name === branch) return undefined
  const trees = ((await ask('worktree', 'list', '--porcelain')) ?? '').split('\n\n')
  const there = trees.find((each) => each.split('\n').includes(`branch refs/heads/${name}`))
  const other = /^worktree (.+)$/m.exec(there ?? '')?.[1]
  return { branch: name, ...(other === undefined || relative(other, folder) === '' ? {} : { folder: other }) }
}
