import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { FileDiff } from '../../core/file-diff.ts'
import type { Work } from '../../core/types.ts'
import { algorithmOf, contentId } from '../../evidence/baseline/content-id.ts'
import type { FullBaseline } from '../../evidence/baseline/stored-baseline.ts'
import { withRenames } from '../../evidence/renames.ts'
import {
  baselineOfRun,
  diffFile,
  iterationDiff,
  iterationsWithDiff,
  REPLACED,
  totalDiff,
  type WorkRecord,
} from '../../evidence/run-changes.ts'
import { diffsOfCommits } from '../../evidence/work-diff.ts'
import { handoffs, type RepositoryFacts } from '../../reports/page/handoff.ts'
import type { SafeText } from '../../reports/page/safe-text.ts'
import { MOST_DIFF_CHARACTERS, seeWith, shownDiff } from '../../reports/page/shown-diff.ts'
import type { IterationDiff, RunCommit, RunWork } from '../../reports/page/types.ts'
import type { Environment } from '../../system/environment.ts'
import { findProgram } from '../../system/find-program.ts'
import { askGit, pathOutside, repositoryPath } from '../../system/git.ts'

const MOST_ITERATIONS = 200
const MOST_COMMITS = 200

interface Place {
  /** The project folder of the command. */
  readonly workspace: string
  readonly dir: string
  readonly env: Environment
}

/** What a run did to the files: all of it, by iteration, and as commands to take it or throw it away. */
export async function workOf({ workspace, dir, env }: Place, record: WorkRecord, safe: SafeText): Promise<RunWork> {
  const stored = baselineOfRun(dir, record)
  const baseline = typeof stored === 'string' ? undefined : stored
  const folder = baseline?.workspace ?? workspace
  if (!existsSync(folder)) return { why: `The folder ${folder} no longer exists.`, iterations: [], commits: [] }
  const since = baseline?.head ?? record.work?.since
  const { files, shown: forReaders, command } = (await totalDiff(folder, baseline, record)) ?? {}
  const room = { left: MOST_DIFF_CHARACTERS }
  const shown = forReaders && shownDiff(forReaders, room, safe, seeWith(command))
  const note = baseline !== undefined && record.ended ? changedLater(folder, record.work, files ?? []) : undefined
  const repository = await repositoryFacts(folder, { since, files: files ?? [], baseline, record, env })
  const commits = since === undefined ? [] : await commitsOf(folder, since, record.work?.head ?? 'HEAD', safe)
  const isOver = record.ended && (files?.length ?? 0) > 0 && baseline !== undefined
  return {
    ...(shown === undefined ? { why: typeof stored === 'string' ? stored : REPLACED } : { total: shown }),
    ...(note === undefined ? {} : { note }),
    iterations: await iterationsOf({ folder, dir }, record, room, safe),
    commits,
    ...(isOver &&
      handoffs({
        run: record.run ?? '',
        ...(relative(workspace, folder) === '' ? {} : { folder }),
        ...(repository && { repository }),
      })),
  }
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

/** The diffs that the loop stored for the terminal; where there are none, those of the checkpoints. */
async function iterationsOf(
  { folder, dir }: { readonly folder: string; readonly dir: string },
  { run = '', checkpoints }: WorkRecord,
  room: { left: number },
  safe: SafeText,
): Promise<readonly IterationDiff[]> {
  const commits = new Map(checkpoints.map(({ commit, iteration }) => [iteration, commit]))
  const stored = (iterationsWithDiff(dir, run) ?? []).slice(0, MOST_ITERATIONS).flatMap((n) => {
    const files = iterationDiff(dir, run, n)
    const commit = commits.get(n)
    const see = commit === undefined ? `All of it is in ${join(dir, diffFile(run, n))}.` : seeCommit(commit)
    return files === undefined ? [] : [{ n, ...(commit && { commit }), ...shownDiff(files, room, safe, see) }]
  })
  const last = checkpoints.at(-1)
  if (last === undefined || stored.length > 0) return stored
  const numbers = new Map(checkpoints.map(({ commit, iteration }) => [commit, iteration]))
  const most = Math.min(checkpoints.length, MOST_ITERATIONS)
  const found = await diffsOfCommits(folder, undefined, last.commit, most)
  return found.flatMap(({ commit, files }) => {
    const n = numbers.get(commit)
    return n === undefined ? [] : [{ n, commit, ...shownDiff(withRenames(files), room, safe, seeCommit(commit)) }]
  })
}

const seeCommit = (commit: string): string => seeWith(`git show ${commit.slice(0, 12)}`)

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
