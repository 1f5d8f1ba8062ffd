import type { Work } from '../../core/types.ts'
import { flakyTests } from '../../evidence/flakes.ts'
import type { Workspace } from '../../evidence/types.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { type CiOnWork, type CiResult, redInCi } from '../../learning/automatic/ci.ts'
import { type FinishedRun, type Found, finishedRuns } from '../../learning/automatic/finished.ts'
import { redAgain } from '../../learning/automatic/red-again.ts'
import { contains, type Later, revertedByName, type Snapshot, undone } from '../../learning/automatic/reverted.ts'
import { eventsOf } from './past.ts'

const MOST_COMMITS = 200
const DAY = 86_400_000

/** What git knows about the work of a run, for some days after its end. */
interface GitPast {
  /** The run's own commits. */
  readonly own: readonly string[]
  readonly later: readonly Later[]
  /** Commits that changed files of the run, the oldest first. */
  readonly snapshots: readonly Snapshot[]
}

async function gitPast(git: Workspace['git'], run: FinishedRun, days: number): Promise<GitPast> {
  const { work, endedAt } = run
  if (work === undefined || endedAt === undefined) return { own: [], later: [], snapshots: [] }
  // Only first parents: work on another branch was never here, so it was not reverted.
  const window = ['--first-parent', `--since=${iso(endedAt)}`, `--until=${iso(endedAt + days * DAY)}`]
  const bound = `--max-count=${MOST_COMMITS}`
  const log = await git(['log', bound, ...window, '--format=%H%x00%B%x01', 'HEAD'])
  const later = (log ?? '').split('\u0001').flatMap((entry): Later[] => {
    const [commit = '', message = ''] = entry.trim().split('\0')
    return commit === '' ? [] : [{ commit, message }]
  })
  const paths = Object.keys(work.files).map((path) => `:(literal)${path}`)
  const touched = await git(['log', bound, ...window, '--reverse', '--format=%H', 'HEAD', '--', ...paths])
  const commits = [...(await headOf(git, work)), ...linesOf(touched)]
  const snapshots = await Promise.all([...new Set(commits)].map((commit) => snapshotOf(git, work, commit)))
  return { own: await ownCommits(git, work), later, snapshots: snapshots.flatMap((each) => each ?? []) }
}

/** The commit that was checked out at the end, if it is still in the history. */
async function headOf(git: Workspace['git'], { head }: Work): Promise<readonly string[]> {
  if (head === undefined) return []
  return (await git(['merge-base', '--is-ancestor', head, 'HEAD'])) === undefined ? [] : [head]
}

async function ownCommits(git: Workspace['git'], { since, head }: Work): Promise<readonly string[]> {
  if (since === undefined || head === undefined || since === head) return []
  return linesOf(await git(['rev-list', `--max-count=${MOST_COMMITS}`, `${since}..${head}`]))
}

async function snapshotOf(git: Workspace['git'], work: Work, commit: string): Promise<Snapshot | undefined> {
  const listed = await git(['ls-tree', '-z', commit, '--', ...Object.keys(work.files)])
  if (listed === undefined) return undefined
  const files = listed.split('\0').flatMap((entry): [string, string][] => {
    const [mode, type, id] = entry.slice(0, Math.max(entry.indexOf('\t'), 0)).split(' ')
    if (type !== 'blob' || id === undefined) return []
    return [[entry.slice(entry.indexOf('\t') + 1), mode === '120000' ? `link:${id}` : id]]
  })
  return { commit, files: Object.fromEntries(files) }
}

/** Results with the full names of their commits; those of commits that are not here are left out. */
async function knownResults(git: Workspace['git'], given: readonly CiResult[]): Promise<readonly CiResult[]> {
  const known = await Promise.all(
    given.map(async (result) => {
      const commit = await git(['rev-parse', '--verify', '--quiet', `${result.commit}^{commit}`])
      return commit === undefined ? [] : [{ ...result, commit: commit.trim() }]
    }),
  )
  return known.flat()
}

/** The results for commits with the work of a run, within some days after its end. */
async function onWork(
  git: Workspace['git'],
  run: FinishedRun,
  results: readonly CiResult[],
  days: number,
): Promise<readonly CiOnWork[]> {
  const { work, endedAt } = run
  if (work === undefined || endedAt === undefined) return []
  const found = await Promise.all(
    results.map(async (result): Promise<readonly CiOnWork[]> => {
      const at = Number(await git(['log', '-1', '--format=%ct', result.commit])) * 1000
      const snapshot = await snapshotOf(git, work, result.commit)
      // The agent may have committed before the end was recorded.
      const late = !(at - endedAt <= days * DAY)
      if (late || snapshot === undefined || !contains(work, snapshot)) return []
      return [{ ...result, alone: await isAlone(git, work, result.commit) }]
    }),
  )
  return found.flat()
}

async function isAlone(git: Workspace['git'], work: Work, commit: string): Promise<boolean> {
  if (work.since === undefined) return false
  const prefix = (await git(['rev-parse', '--show-prefix']))?.trim()
  const changed = await git(['diff', '--name-only', '--no-renames', '-z', work.since, commit])
  if (prefix === undefined || changed === undefined) return false
  const own = new Set(Object.keys(work.files).map((path) => prefix + path))
  return changed.split('\0').every((path) => path === '' || own.has(path))
}

/** In whole seconds, as in git: a commit in the same second as the end came after it. */
const iso = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`
const linesOf = (text: string | undefined): readonly string[] => (text ?? '').split('\n').filter((line) => line !== '')

export interface Search {
  readonly workspace: string
  readonly dir: string
  readonly days: number
  readonly ci: readonly CiResult[]
  /** Runs that need no label. */
  readonly labelled: ReadonlySet<string>
}

export interface Searched {
  readonly looked: number
  readonly found: readonly Found[]
  /** CI results for commits that are not in the repository. */
  readonly unknown: number
}

/** Finds completed runs that git, CI or later runs show to be bad. */
export async function findLabels({ workspace, dir, days, ci, labelled }: Search): Promise<Searched> {
  const runs = finishedRuns(eventsOf(dir))
  const unlabelled = runs.filter(({ run, outcome }) => outcome === 'completed' && !labelled.has(run))
  const flaky = new Set(flakyTests(dir).map(({ test }) => test))
  const { git } = openWorkspace(workspace)
  const results = await knownResults(git, ci)
  const byTests = new Map(redAgain(runs, { days, flaky }).map((found) => [found.run, found]))
  const found: Found[] = []
  for (const run of unlabelled) {
    const first = (await byGit(run)) ?? byTests.get(run.run)
    if (first !== undefined) found.push(first)
  }
  return { looked: unlabelled.length, found, unknown: ci.length - results.length }

  async function byGit(run: FinishedRun): Promise<Found | undefined> {
    const { own, later, snapshots } = await gitPast(git, run, days)
    const reverted = revertedByName(run, own, later) ?? undone(run, snapshots)
    return reverted ?? redInCi(run, await onWork(git, run, results, days), { all: results, flaky })
  }
}
