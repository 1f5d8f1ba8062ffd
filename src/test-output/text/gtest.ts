import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests } from '../scan.ts'

const HEADER = /^\[=+\] Running (\d+) tests? from /
const RAN = /^\[=+\] (\d+) tests? from .* ran\./
const SUM = /^\[ +(PASSED|FAILED|SKIPPED) +\] (\d+) tests?[.,]/
const TEST = /^\[ +(OK|FAILED|SKIPPED) +\] (\S+\.\S.*?)(?:, where .*)? \(\d+ ms\)\s*$/
const STATES: Record<string, TestState> = { OK: 'passed', FAILED: 'failed', SKIPPED: 'skipped' }

/** GoogleTest. A program that crashed has started, but never prints how many tests ran. */
export const gtest: TextReader = {
  framework: 'gtest',
  hints: ['[=======', '[==='],
  read: (lines) => {
    const parts: Part[] = []
    let open: number | undefined
    for (let at = 0; at < lines.length; at += 1) {
      if (HEADER.test(lines[at]!)) open = at
      const ran = RAN.exec(lines[at]!)
      if (ran === null) continue
      const counts: Record<string, number> = {}
      let to = at
      for (let next = at + 1; next < Math.min(lines.length, at + 400); next += 1) {
        const sum = SUM.exec(lines[next]!)
        if (sum !== null) counts[sum[1]!] ??= Number(sum[2])
        if (sum !== null || /^\[ +(?:FAILED|SKIPPED) +\] /.test(lines[next]!)) to = next
        else if (HEADER.test(lines[next]!)) break
      }
      const tests = new Tests()
      for (let line = open ?? at; line < at; line += 1) {
        const test = TEST.exec(lines[line]!)
        if (test !== null) tests.set(test[2]!, STATES[test[1]!]!)
      }
      const { PASSED: passed = 0, FAILED: failed = 0, SKIPPED: skipped = 0 } = counts
      parts.push({
        framework: 'gtest',
        from: open ?? at,
        to,
        passed,
        failed,
        skipped,
        total: Number(ran[1]),
        tests: tests.list(),
      })
      open = undefined
    }
    if (open !== undefined) {
      const broken = 'The program started its tests but did not finish them (gtest).'
      parts.push({ framework: 'gtest', from: open, to: lines.length - 1, passed: 0, failed: 0, skipped: 0, broken })
    }
    return parts
  },
}
