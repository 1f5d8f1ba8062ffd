import { count } from '../../packages/core/src/count.ts'
import type { Part, TestRun } from '../../packages/test-output/src/types.ts'

const sum = (parts: readonly Part[], pick: (part: Part) => number | undefined): number =>
  parts.reduce((all, part) => all + (pick(part) ?? 0), 0)

const totalOf = (part: Part): number => part.total ?? part.passed + part.failed + part.skipped + (part.aside ?? 0)

/** Why a run does not count as passed although nothing in it failed. */
function whyUnclear(part: Part): string | undefined {
  if (part.broken !== undefined) return undefined
  if (part.unproven !== undefined) return part.unproven
  const { framework, passed, failed, skipped, aside = 0 } = part
  const missing = totalOf(part) - passed - failed - skipped - aside
  if (missing > 0)
    return `${missing} of ${count(totalOf(part), 'test')} ${missing === 1 ? 'has' : 'have'} no result (${framework}).`
  return passed + failed + skipped + aside === 0 ? `No tests ran (${framework}).` : undefined
}

/** Decides whether a run is good: never with zero passed tests, never with anything unclear. */
export function makeRun(parts: readonly Part[], doubts: readonly string[] = []): TestRun {
  const passed = sum(parts, (part) => part.passed)
  const failed = sum(parts, (part) => part.failed)
  const suitesFailed = sum(parts, (part) => part.suitesFailed)
  const aside = sum(parts, (part) => part.aside)
  const broken = parts.map((part) => part.broken).filter((reason) => reason !== undefined)
  const open = [...parts.map(whyUnclear).filter((reason) => reason !== undefined), ...doubts]
  const ok = failed > 0 || broken.length > 0 ? false : open.length > 0 || passed === 0 ? null : true
  const problems = [...new Set([...broken, ...open])]
  const tests = parts.flatMap((part) => part.tests ?? [])
  return {
    passed,
    failed,
    skipped: sum(parts, (part) => part.skipped),
    total: sum(parts, totalOf),
    ok,
    framework: [...new Set(parts.map((part) => part.framework))].join('+'),
    ...(tests.length > 0 && { tests }),
    ...(suitesFailed > 0 && { suitesFailed }),
    ...(aside > 0 && { aside }),
    ...(problems.length > 0 && { problems }),
  }
}

/** Combines the reports of one run (a file per class, project or package). A report with only skipped tests is neutral. */
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

/** A class or project without tests is normal among others. */
const isEmpty = (run: TestRun): boolean => run.total === 0 && run.ok === null
