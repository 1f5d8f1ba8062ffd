import type { TestCase, TestRun } from '../../test-output/types.ts'
import type { Ran, TestResult } from '../types.ts'

/** Tests by their place in the workspace, so that two checkouts of it call them the same. */
export function placed(run: TestRun, dir: string): TestRun {
  if (run.tests === undefined) return run
  const start = `${dir.replace(/[\\/]$/, '')}/`
  const inside = (text: string) =>
    text
      .replaceAll('\\', '/')
      .replace(/^file:\/\//, '')
      .replaceAll(start, '')
      .replace(/^\.\//, '')
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
  if (printed === undefined || /^(?:words|lines)$/.test(printed.framework) || code === 0 || report.ok !== true)
    return report
  if (printed.ok !== false) return report
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
