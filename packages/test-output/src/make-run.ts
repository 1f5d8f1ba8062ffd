import type { Part, TestRun } from './types.ts'
import { count } from './words.ts'

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
  const broken = parts.map((part) => part.broken).filter((reason) => reason !== undefined)
  const open = [...parts.map(whyUnclear).filter((reason) => reason !== undefined), ...doubts]
  const isRed = broken.length > 0 || parts.some((part) => part.failed > 0)
  const ok = isRed ? false : open.length > 0 ? null : true
  const counted = parts.map((part) => ({ ...part, total: totalOf(part) }))
  return added(counted, ok, [...broken, ...open])
}

/** Combines the reports of one run (a file per class, project or package). A report with only skipped tests is neutral. */
export function addRuns(runs: readonly TestRun[]): TestRun | undefined {
  if (runs.length <= 1) return runs[0]
  // A class or project without tests is normal among others.
  const full = runs.filter((run) => run.total > 0 || run.ok !== null)
  const isDoubtful = full.some((run) => run.ok === null && run.problems !== undefined)
  const ok = runs.some((run) => run.ok === false) ? false : isDoubtful ? null : true
  const problems = full.flatMap((run) => run.problems ?? [])
  return added(runs, ok, problems)
}

type Counted = Omit<TestRun, 'ok' | 'problems'>

function added(runs: readonly Counted[], ok: boolean | null, reasons: readonly string[]): TestRun {
  const sum = (pick: (run: Counted) => number | undefined) => runs.reduce((all, run) => all + (pick(run) ?? 0), 0)
  const passed = sum((run) => run.passed)
  const [suitesFailed, aside] = [sum((run) => run.suitesFailed), sum((run) => run.aside)]
  const tests = runs.flatMap((run) => run.tests ?? [])
  const problems = [...new Set(reasons)]
  return {
    passed,
    failed: sum((run) => run.failed),
    skipped: sum((run) => run.skipped),
    total: sum((run) => run.total),
    ok: ok === true && passed === 0 ? null : ok,
    framework: [...new Set(runs.map((run) => run.framework))].join('+'),
    ...(tests.length > 0 && { tests }),
    ...(suitesFailed > 0 && { suitesFailed }),
    ...(aside > 0 && { aside }),
    ...(problems.length > 0 && { problems }),
  }
}
