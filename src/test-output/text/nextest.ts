import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests, tally } from '../scan.ts'

const HEADER = /^\s*(?:Nextest run ID |Starting \d+ tests? across )/
const SUMMARY = /^\s*Summary \[ *\d+(?:\.\d+)?s\] (?:(\d+)\/)?(\d+) tests? run: (.*)$/
const LINE =
  /^\s*(?:TRY \d+ )?(PASS|FAIL|LEAK|SIG\w+|ABORT|TIMEOUT|XFAIL|SKIP|FLKY|TMT)(?:-\w+)? \[[^\]]*\](?: \( *\d+\/\d+\))? (\S+ .*?)\s*$/
const STATES: Record<string, TestState> = { PASS: 'passed', LEAK: 'passed', SKIP: 'skipped' }
const NONE = /^error: no tests to run/

export const nextest: TextReader = {
  framework: 'nextest',
  hints: [' tests run: ', ' test run: ', 'error: no tests to run'],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (first < 0 && (HEADER.test(line) || LINE.test(line))) first = at
      if (NONE.test(line)) parts.push({ framework: 'nextest', from: at, to: at, passed: 0, failed: 0, skipped: 0 })
      const summary = SUMMARY.exec(line)
      if (summary === null) continue
      const from = first >= 0 ? first : at
      // `5 passed (1 slow, 1 flaky), 1 timed out`: the numbers in brackets are part of the number before them.
      const counts = tally(summary[3]!.replace(/\([^)]*\)/g, ''))
      const failed = (counts.failed ?? 0) + (counts['timed out'] ?? 0) + (counts['exec failed'] ?? 0)
      const tests = new Tests()
      for (let test = from; test < at; test += 1) {
        const match = LINE.exec(lines[test]!)
        if (match !== null) tests.set(match[2]!.replace(' ', ' > '), STATES[match[1]!] ?? 'failed')
      }
      const ran = Number(summary[1] ?? summary[2])
      const stopped = ran < Number(summary[2])
      parts.push({
        framework: 'nextest',
        from,
        to: at,
        passed: counts.passed ?? 0,
        failed,
        skipped: counts.skipped ?? 0,
        tests: tests.list(),
        ...(stopped && { broken: `Only ${ran} of ${summary[2]} tests ran (nextest).` }),
      })
      first = -1
    }
    return parts
  },
}
