import { type FinishedRun, type Found, isSoonAfter } from './finished.ts'

/** A truncated list can't show that a name is missing. */
const MAX_NAMES = 50

/**
 * Tests a completed run had fixed that fail before a later run, or that fail on the same tree on which they passed. Flaky tests are
 * ignored.
 */
export function redAgain(
  runs: readonly FinishedRun[],
  { days, flaky }: { readonly days: number; readonly flaky: ReadonlySet<string> },
): readonly Found[] {
  return runs.flatMap((run, at) => {
    if (run.outcome !== 'completed') return []
    const later = runs.slice(at + 1)
    const next = later.findIndex(
      (each) => isSoonAfter(run, each.startedAt, days) && testFailingAgain(run, each, flaky) !== undefined,
    )
    const other = later[next]
    if (other === undefined) {
      const first = later[0]
      return first === undefined || !isSoonAfter(run, first.startedAt, days) ? [] : onTheSameTree(run, first, flaky)
    }
    const test = testFailingAgain(run, other, flaky) ?? ''
    // Only the run that fixed a test last is blamed.
    if (later.slice(0, next).some(({ outcome, fixed }) => outcome === 'completed' && fixed.includes(test))) return []
    const wasFixed = other.outcome === 'completed' && other.fixed.includes(test)
    return wasFixed
      ? [
          {
            run: run.run,
            source: 'follow-up',
            reason: `run ${other.run} had to fix "${test}" again, which this run had fixed`,
          },
        ]
      : [
          {
            run: run.run,
            source: 'red-again',
            reason: `"${test}", which this run had fixed, failed again before run ${other.run}`,
          },
        ]
  })
}

const testFailingAgain = (run: FinishedRun, later: FinishedRun, flaky: ReadonlySet<string>): string | undefined =>
  run.fixed.find((test) => later.failedBefore.includes(test) && !flaky.has(test))

function onTheSameTree(run: FinishedRun, next: FinishedRun, flaky: ReadonlySet<string>): readonly Found[] {
  if (run.tree === '' || run.tree !== next.treeBefore || run.failedBefore.length >= MAX_NAMES) return []
  const test = next.failedBefore.find((name) => !run.failedBefore.includes(name) && !flaky.has(name))
  if (test === undefined) return []
  const reason = `"${test}" failed before run ${next.run}, on the same tree on which all tests passed in this run`
  return [{ run: run.run, source: 'red-again', reason }]
}
