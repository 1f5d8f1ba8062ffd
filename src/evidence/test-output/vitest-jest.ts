import { makeRun } from './make-run.ts'
import type { TestOutputReader, TestState } from './types.ts'

/** `2 failed | 27 passed | 1 skipped (30)` of vitest, `1 failed, 4 passed, 5 total` of jest. */
function countsOf(summary: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [, number, word] of summary.matchAll(/(\d+) ([a-z]+)/g)) counts[word!] = Number(number)
  const sum = /\((\d+)\)\s*$/.exec(summary)
  if (sum !== null) counts.total = Number(sum[1])
  return counts
}

const VITEST_TESTS = /^\s*Tests {2,}((?:\d+ [a-z]+(?: \| )?)+ ?\(\d+\)|no tests)\s*$/
const VITEST_FILES = /^\s*Test Files {2,}((?:\d+ [a-z]+(?: \| )?)+ ?\(\d+\)|no tests)\s*$/
const VITEST_ERRORS = /^\s*(?:Type )?Errors {2,}(\d+) errors?\s*$/
const JEST_TESTS = /^Tests:\s+((?:\d+ [a-z]+(?:, )?)+)\s*$/
const JEST_SUITES = /^Test Suites:\s+((?:\d+ [a-z]+(?:, )?)+)\s*$/
/** Verbose vitest: ` ✓ file > group > name 3ms`. The name alone would not say which test it is. */
const VITEST_LINE = /^\s*(✓|√|×|✗|↓)\s+(\S.* > .*?)(?:\s+\d+(?:\.\d+)?m?s)?\s*$/
const STATES: Record<string, TestState> = { '✓': 'passed', '√': 'passed', '×': 'failed', '✗': 'failed', '↓': 'skipped' }

/** The printed summaries of vitest and jest. Several in one output (workspaces) are added up. */
export const vitestJest: TestOutputReader = (output) => {
  const sum = { passed: 0, failed: 0, skipped: 0, total: 0 }
  const tests: { name: string; state: TestState }[] = []
  let framework = ''
  let broken = false
  for (const line of output.split('\n')) {
    const summary = VITEST_TESTS.exec(line) ?? JEST_TESTS.exec(line)
    if (summary !== null) {
      framework = line.includes('Tests:') ? 'jest' : 'vitest'
      const counts = countsOf(summary[1]!)
      sum.passed += counts.passed ?? 0
      sum.failed += counts.failed ?? 0
      sum.skipped += (counts.skipped ?? 0) + (counts.todo ?? 0)
      sum.total += counts.total ?? 0
      continue
    }
    const files = VITEST_FILES.exec(line) ?? JEST_SUITES.exec(line)
    // A file that did not load has no failed test to show, and yet the run failed.
    if (files !== null && (countsOf(files[1]!).failed ?? 0) > 0) broken = true
    const errors = VITEST_ERRORS.exec(line)
    if (errors !== null && Number(errors[1]) > 0) broken = true
    const test = VITEST_LINE.exec(line)
    if (test !== null) tests.push({ name: test[2]!, state: STATES[test[1]!]! })
  }
  return framework === '' ? undefined : makeRun({ framework, ...sum, broken, tests })
}
