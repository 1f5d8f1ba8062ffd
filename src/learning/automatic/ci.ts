import type { FinishedRun, Found } from './finished.ts'
import { short } from './reverted.ts'

/** How one commit fared somewhere else. */
export interface CiResult {
  readonly commit: string
  readonly red: boolean
  /** Tests by name, where the report names them. */
  readonly failed: readonly string[]
}

/** A result on a commit that holds the work of a run. */
export interface CiOnWork extends CiResult {
  /** Whether nothing but the run's files differs from what it began with. */
  readonly alone: boolean
}

/**
 * CI was red on the work of a run: on a commit that holds it and nothing else, while what it began with was not known to be red; or in
 * a test that the run had made pass. A commit that was green as well, at another time, says nothing.
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
    if (test !== undefined) return found(`CI on commit ${short(commit)}: "${test}" fails, which this run had made pass`)
    if (alone && !redBefore)
      return found(`CI was red on commit ${short(commit)}, which holds the work of this run and nothing else`)
  }
  return undefined
}
