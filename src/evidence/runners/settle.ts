import type { TestCase, TestRun } from '../test-output/types.ts'
import type { Ran, TestResult } from '../types.ts'

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

/** Tests by their place in the workspace, so that two checkouts of it call them the same. */
export function placed(run: TestRun, dir: string): TestRun {
  if (run.tests === undefined) return run
  const start = `${dir.replace(/[\\/]$/, '')}/`
  const inside = (text: string) =>
    text
      .replaceAll('\\', '/')
      .replace(/^file:\/\//, '')
      .replaceAll(start, '')
  const place = (test: TestCase): TestCase => ({
    ...test,
    name: test.name.includes(start) ? test.name.replaceAll(start, '') : test.name,
    ...(test.file !== undefined && { file: inside(test.file) }),
  })
  return { ...run, tests: run.tests.map(place) }
}

const red = (run: TestRun, why: string): TestRun => ({ ...run, ok: false, problems: [...(run.problems ?? []), why] })
const open = (run: TestRun, why: string): TestRun => ({ ...run, ok: null, problems: [...(run.problems ?? []), why] })

/** A report knows only the files that could be loaded; what was printed may know of the others. */
function withPrinted(report: TestRun, printed: TestRun | undefined, code: number | null): TestRun {
  if (printed === undefined || printed.framework === 'words' || code === 0 || report.ok !== true) return report
  if (printed.ok !== false || printed.failed > report.failed) return report
  const suitesFailed = Math.max(report.suitesFailed ?? 0, printed.suitesFailed ?? 0)
  const why = printed.problems?.[0] ?? 'What was printed says that the run failed.'
  return { ...red(report, why), ...(suitesFailed > 0 && { suitesFailed }) }
}

/** Report, printed summary and exit code as one answer: where they contradict each other, the cautious one. */
export function settle(ran: Ran, report: TestRun | undefined, printed: TestRun | undefined): TestResult {
  const source = report !== undefined ? 'report' : printed !== undefined ? 'output' : 'none'
  const said = report === undefined ? printed : withPrinted(report, printed, ran.code)
  if (said === undefined) return { ran, source }
  if (said.ok !== true) return { ran, run: said, source }
  if (ran.ended !== 'exit' || ran.code === null)
    return { ran, run: open(said, 'The command did not come to its own end.'), source }
  if (ran.code !== 0) {
    return { ran, run: red(said, `The command exited with ${ran.code} although it reports no failed test.`), source }
  }
  return { ran, run: said, source }
}
