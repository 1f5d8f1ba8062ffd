import type { Part, TestRun } from './types.ts'

const sum = (parts: readonly Part[], pick: (part: Part) => number | undefined): number =>
  parts.reduce((all, part) => all + (pick(part) ?? 0), 0)

const totalOf = (part: Part): number => part.total ?? part.passed + part.failed + part.skipped + (part.aside ?? 0)

/** What keeps one run of several from being green although nothing in it failed. */
function doubt(part: Part): string | undefined {
  if (part.broken !== undefined) return undefined
  if (part.unproven !== undefined) return part.unproven
  const { framework, passed, failed, skipped, aside = 0 } = part
  const missing = totalOf(part) - passed - failed - skipped - aside
  if (missing > 0) return `${missing} of ${totalOf(part)} tests neither passed, failed nor were skipped (${framework}).`
  return passed + failed + skipped + aside === 0 ? `No tests were run (${framework}).` : undefined
}

/** The one place that says when a run is good: never with zero passed tests, never with anything left open. */
export function makeRun(parts: readonly Part[], doubts: readonly string[] = []): TestRun {
  const passed = sum(parts, (part) => part.passed)
  const failed = sum(parts, (part) => part.failed)
  const suitesFailed = sum(parts, (part) => part.suitesFailed)
  const aside = sum(parts, (part) => part.aside)
  const broken = parts.map((part) => part.broken).filter((reason) => reason !== undefined)
  const open = [...parts.map(doubt).filter((reason) => reason !== undefined), ...doubts]
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
