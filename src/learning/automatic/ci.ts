import type { FinishedRun, Found } from './finished.ts'
import { short } from './reverted.ts'

/** The CI result of one commit. */
export interface CiResult {
  readonly commit: string
  readonly red: boolean
  /** Failed tests by name, if the report has names. */
  readonly failed: readonly string[]
}

/** A result on a commit that contains the work of a run. */
export interface CiOnWork extends CiResult {
  /** Whether only the run's files differ from its starting point. */
  readonly alone: boolean
}

/**
 * CI failed on the work of a run. Either the commit contains only that work, and its starting point did not fail; or a test failed
 * that the run had fixed. A commit that also passed at another time is ignored.
 */
export function redInCi(
  run: FinishedRun,
  results: readonly CiOnWork[],
  { all, flaky }: { readonly all: readonly CiResult[]; readonly flaky: ReadonlySet<string> },
): Found | undefined {
  if (run.outcome !== 'completed') return undefined
  const green = new Set(all.filter(({ red }) => !red).map(({ commit }) => commit))
  const redBefore = all.some(({ commit, red }) => red && commit === run.work?.since)
  for (const { commit, failed, alone, red } of results) {
    if (!red || green.has(commit)) continue
    const test = failed.find((name) => run.fixed.includes(name) && !flaky.has(name))
    const found = (reason: string): Found => ({ run: run.run, source: 'ci', reason })
    if (test !== undefined)
      return found(`CI on commit ${short(commit)}: "${test}" fails, although this run had fixed it`)
    if (alone && !redBefore)
      return found(`CI failed on commit ${short(commit)}, which contains only the work of this run`)
  }
  return undefined
}
