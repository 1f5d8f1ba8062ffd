import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests, tally } from '../scan.ts'

const HEADER = /^(?:Ran|Running) \d+ tests? for (\S+)\s*$/
const SUITE = /^(?:Suite|Test) result: (ok|FAILED)\. (.*)$/
const TOTAL = /^Ran \d+ test suites?(?: in [^:]*)?: (.*?)(?: \((\d+) total tests\))?\s*$/
const TEST = /^\[(PASS|FAIL|SKIP)(?:[:.][^\]]*)?(?:\]|.*\]) (\S+\(.*?\))/
const NOT_BUILT = /^(?:Error: )?Compiler run failed|^Error \(\d{4}\): /
const NONE = /^No tests (?:found in project|match the provided pattern)/
const STATES: Record<string, TestState> = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' }

/** Foundry: one line per suite and, in newer versions, one for all of them, which is not added again. */
export const forge: TextReader = {
  framework: 'forge',
  hints: ['Suite result: ', 'Test result: ', 'Compiler run failed', 'No tests found in project'],
  read: (lines) => {
    const parts: Part[] = []
    let from = -1
    let suite = ''
    let tests = new Tests()
    const none = { framework: 'forge', passed: 0, failed: 0, skipped: 0 }
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      const head = HEADER.exec(line)
      if (head !== null) {
        suite = head[1]!
        if (from < 0) from = at
      }
      const test = TEST.exec(line)
      if (test !== null)
        tests.set(
          suite === '' ? test[2]! : `${suite} > ${test[2]}`,
          STATES[test[1]!]!,
          suite.split(':')[0] || undefined,
        )
      if (NONE.test(line)) parts.push({ ...none, from: at, to: at })
      else if (NOT_BUILT.test(line))
        parts.push({ ...none, from: at, to: at, suitesFailed: 1, broken: 'The contracts did not compile (forge).' })
      const result = SUITE.exec(line)
      if (result !== null) {
        const { passed = 0, failed = 0, skipped = 0 } = tally(result[2]!)
        const broken =
          result[1] === 'FAILED' && failed === 0 ? 'A suite failed without a failed test (forge).' : undefined
        parts.push({
          framework: 'forge',
          from: from < 0 ? at : from,
          to: at,
          passed,
          failed,
          skipped,
          tests: tests.list(),
          ...(broken !== undefined && { broken }),
        })
        tests = new Tests()
        from = -1
      }
      const total = TOTAL.exec(line)
      if (total === null) continue
      const counts = tally(total[1]!)
      const passed = counts['tests passed'] ?? counts['test passed'] ?? 0
      const sum = (pick: (part: Part) => number) => parts.reduce((all, part) => all + pick(part), 0)
      const missing =
        passed + (counts.failed ?? 0) + (counts.skipped ?? 0) - sum((part) => part.passed + part.failed + part.skipped)
      // If the beginning was cut off, the total still includes the missing suites.
      if (missing > 0) {
        const rest = {
          passed: passed - sum((part) => part.passed),
          failed: (counts.failed ?? 0) - sum((part) => part.failed),
        }
        const skipped = Math.max(0, (counts.skipped ?? 0) - sum((part) => part.skipped))
        parts.push({
          framework: 'forge',
          from: at,
          to: at,
          passed: Math.max(0, rest.passed),
          failed: Math.max(0, rest.failed),
          skipped,
        })
      }
    }
    return parts
  },
}
