import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { tally } from '../scan.ts'

const ALL = /^All tests passed \((?:\d+ assertions?|no assertions) in (\d+) test cases?\)\s*$/
const CASES = /^(?:\[doctest\] )?test cases: *(\d+) *\|(.*)$/
const NONE = /^No tests (?:ran|executed)\b|^No test cases matched/
const STATUS = /^\[doctest\] Status: (\w+)/

/** Catch2, and doctest, which counts the same way. */
export const catch2: TextReader = {
  framework: 'catch2',
  hints: ['All tests passed (', 'test cases:', 'No tests ran', 'No test cases matched'],
  read: (lines) => {
    const parts: Part[] = []
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      const all = ALL.exec(line)
      const cases = CASES.exec(line)
      if (all !== null)
        parts.push({ framework: 'catch2', from: at, to: at, passed: Number(all[1]), failed: 0, skipped: 0 })
      else if (NONE.test(line)) parts.push({ framework: 'catch2', from: at, to: at, passed: 0, failed: 0, skipped: 0 })
      else if (cases !== null) {
        const counts = tally(cases[2]!.replaceAll('|', ','))
        const { passed = 0, failed = 0, skipped = 0 } = counts
        const expected = counts['failed as expected'] ?? 0
        const doctest = line.startsWith('[doctest]')
        parts.push({
          framework: doctest ? 'doctest' : 'catch2',
          from: at,
          to: at,
          passed,
          failed,
          skipped: doctest ? 0 : skipped,
          aside: expected,
          total: Number(cases[1]),
        })
      } else if (STATUS.exec(line)?.[1] === 'FAILURE' && parts.length > 0) {
        parts.push({ ...parts.pop()!, to: at, broken: 'The run failed (doctest).' })
      }
    }
    return parts
  },
}
