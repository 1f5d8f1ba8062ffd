import { flakyTests } from '../../evidence/flake-history.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { type CiResult, redInCi } from '../../learning/automatic/ci.ts'
import { type FinishedRun, type Found, finishedRuns } from '../../learning/automatic/finished.ts'
import { redAgain } from '../../learning/automatic/red-again.ts'
import { revertedByName, undone } from '../../learning/automatic/reverted.ts'
import { gitPast, knownResults, onWork } from './git-past.ts'
import { eventsOf } from './past.ts'

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
  /** Results of CI about commits that are not here. */
  readonly unknown: number
}

/** What became of the completed runs of a workspace, told by git, by CI and by the runs after them. */
export async function findLabels({ workspace, dir, days, ci, labelled }: Search): Promise<Searched> {
  const runs = finishedRuns(eventsOf(dir))
  const asked = runs.filter(({ run, outcome }) => outcome === 'completed' && !labelled.has(run))
  const flaky = new Set(flakyTests(dir).map(({ test }) => test))
  const { git } = openWorkspace(workspace)
  const results = await knownResults(git, ci)
  const byTests = new Map(redAgain(runs, { days, flaky }).map((found) => [found.run, found]))
  const found: Found[] = []
  for (const run of asked) {
    const first = (await byGit(run)) ?? byTests.get(run.run)
    if (first !== undefined) found.push(first)
  }
  return { looked: asked.length, found, unknown: ci.length - results.length }

  async function byGit(run: FinishedRun): Promise<Found | undefined> {
    const { own, later, snapshots } = await gitPast(git, run, days)
    const reverted = revertedByName(run, own, later) ?? undone(run, snapshots)
    return reverted ?? redInCi(run, await onWork(git, run, results, days), { all: results, flaky })
  }
}
