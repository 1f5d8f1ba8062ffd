import { type FinishedRun, type Found, isSoonAfter } from './finished.ts'

/** A list that was cut off cannot say that a name is not in it. */
const MOST_NAMED = 50

/**
 * Tests that a completed run had made pass, and that fail before a later run begins; or that fail on the very tree on which they
 * were green. A test that is known to change its mind says nothing.
 */
export function redAgain(
  runs: readonly FinishedRun[],
  { days, flaky }: { readonly days: number; readonly flaky: ReadonlySet<string> },
): readonly Found[] {
  return runs.flatMap((run, at) => {
    if (run.outcome !== 'completed') return []
    const later = runs.slice(at + 1)
    const next = later.findIndex(
      (each) => isSoonAfter(run, each.startedAt, days) && brokeAgain(run, each, flaky) !== undefined,
    )
    const other = later[next]
    if (other === undefined) {
      const first = later[0]
      return first === undefined || !isSoonAfter(run, first.startedAt, days) ? [] : onTheSameTree(run, first, flaky)
    }
    const test = brokeAgain(run, other, flaky) ?? ''
    // Whoever mended it last answers for it.
    if (later.slice(0, next).some(({ outcome, fixed }) => outcome === 'completed' && fixed.includes(test))) return []
    const mended = other.outcome === 'completed' && other.fixed.includes(test)
    return mended
      ? [
          {
            run: run.run,
            source: 'follow-up',
            reason: `run ${other.run} had to mend "${test}" again, which this run had made pass`,
          },
        ]
      : [
          {
            run: run.run,
            source: 'red-again',
            reason: `"${test}", which this run had made pass, failed again before run ${other.run}`,
          },
        ]
  })
}

const brokeAgain = (run: FinishedRun, later: FinishedRun, flaky: ReadonlySet<string>): string | undefined =>
  run.fixed.find((test) => later.failedBefore.includes(test) && !flaky.has(test))

function onTheSameTree(run: FinishedRun, next: FinishedRun, flaky: ReadonlySet<string>): readonly Found[] {
  if (run.tree === '' || run.tree !== next.treeBefore || run.failedBefore.length >= MOST_NAMED) return []
  const test = next.failedBefore.find((name) => !run.failedBefore.includes(name) && !flaky.has(name))
  if (test === undefined) return []
  const reason = `"${test}" failed before run ${next.run}, on the very tree on which this run had all tests green`
  return [{ run: run.run, source: 'red-again', reason }]
}
