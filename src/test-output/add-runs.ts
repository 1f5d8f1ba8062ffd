import type { TestRun } from './types.ts'

/** Reports of one run (a file for each class, project or package) as one. A report of skipped tests alone is neutral. */
export function addRuns(runs: readonly TestRun[]): TestRun | undefined {
  if (runs.length <= 1) return runs[0]
  const sum = (pick: (run: TestRun) => number | undefined) => runs.reduce((all, run) => all + (pick(run) ?? 0), 0)
  const problems = [...new Set(runs.flatMap((run) => (isEmpty(run) ? [] : (run.problems ?? []))))]
  const [passed, aside, suitesFailed] = [
    sum((run) => run.passed),
    sum((run) => run.aside),
    sum((run) => run.suitesFailed),
  ]
  const tests = runs.flatMap((run) => run.tests ?? [])
  const doubtful = runs.some((run) => run.ok === null && run.problems !== undefined && !isEmpty(run))
  return {
    passed,
    failed: sum((run) => run.failed),
    skipped: sum((run) => run.skipped),
    total: sum((run) => run.total),
    ok: runs.some((run) => run.ok === false) ? false : doubtful || passed === 0 ? null : true,
    framework: [...new Set(runs.map((run) => run.framework))].join('+'),
    ...(tests.length > 0 && { tests }),
    ...(suitesFailed > 0 && { suitesFailed }),
    ...(aside > 0 && { aside }),
    ...(problems.length > 0 && { problems }),
  }
}

/** A class or project without tests is usual beside others. */
const isEmpty = (run: TestRun): boolean => run.total === 0 && run.ok === null
