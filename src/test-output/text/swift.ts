import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'

const SUITE = /^Test Suite '(.*)' (?:passed|failed) at /
const EXECUTED =
  /^\s*Executed (\d+) tests?,(?: with (\d+) tests? skipped and)? (?:with )?(\d+) failures? \(\d+ unexpected\)/
const TESTING =
  /^\S+ +Test run with (\d+) tests?(?: in \d+ suites?)? (passed|failed) after .*?(?: with (\d+) issues?.*)?$/
const VERDICT = /^\*\* TEST (?:EXECUTE )?(SUCCEEDED|FAILED) \*\*/
const WHOLE = /^(?:All tests|Selected tests)$/

/** XCTest repeats its counts for every suite that contains others: only the outermost are added. Swift Testing has its own line. */
export const swift: TextReader = {
  framework: 'swift test',
  hints: ["Test Suite '", 'Test run with ', '** TEST '],
  read: (lines) => {
    const parts: Part[] = []
    let suite = ''
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      suite = SUITE.exec(line)?.[1] ?? suite
      const executed = EXECUTED.exec(line)
      const testing = TESTING.exec(line)
      const counts = { framework: 'swift test', from: at, to: at }
      if (executed !== null && WHOLE.test(suite)) {
        const [total, skipped, failed] = [Number(executed[1]), Number(executed[2] ?? 0), Number(executed[3])]
        // XCTest prints nothing if all tests use the other library.
        if (total > 0)
          parts.push({
            ...counts,
            passed: Math.max(0, total - skipped - failed),
            failed,
            skipped,
            total: Math.max(total, failed),
          })
      } else if (testing !== null) {
        const total = Number(testing[1])
        const failed = testing[2] === 'failed' ? Math.min(total, Math.max(1, Number(testing[3] ?? 1))) : 0
        parts.push({ ...counts, passed: total - failed, failed, skipped: 0 })
      } else if (VERDICT.exec(line)?.[1] === 'FAILED') {
        parts.push({
          ...counts,
          passed: 0,
          failed: 0,
          skipped: 0,
          wrapper: true,
          broken: 'The test action failed (xcodebuild).',
        })
      }
    }
    return parts
  },
}
