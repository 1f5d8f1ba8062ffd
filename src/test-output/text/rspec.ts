import { count } from '../../../packages/core/src/count.ts'
import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests, tally } from '../scan.ts'

const SUMMARY =
  /^(\d+) examples?, (\d+ failures?(?:, \d+ errors?)?(?:, \d+ pending)?(?:, \d+ errors? occurred outside of examples)?)\s*$/
const FAILED_TEST = /^rspec (['"]?)(\.?\S+?)(?::\d+|\[[\d:]+\])\1 # (.*?)\s*$/

/** RSpec, and the runners that end with the same line (Crystal, hspec). */
export const rspec: TextReader = {
  framework: 'rspec',
  hints: [' examples, ', ' example, '],
  read: (lines) => {
    const parts: Part[] = []
    for (let at = 0; at < lines.length; at += 1) {
      const summary = SUMMARY.exec(lines[at]!)
      if (summary === null) continue
      const total = Number(summary[1])
      const counts = tally(summary[2]!)
      const outside = counts['errors occurred outside of examples'] ?? counts['error occurred outside of examples'] ?? 0
      const failed = (counts.failures ?? counts.failure ?? 0) + (counts.errors ?? counts.error ?? 0)
      const tests = new Tests()
      let to = at
      for (let next = at + 1; next < lines.length && (lines[next] === '' || to > at || next < at + 6); next += 1) {
        const test = FAILED_TEST.exec(lines[next]!)
        if (test === null) {
          if (to > at && lines[next] !== '') break
          continue
        }
        tests.set(test[3]!, 'failed', test[2]!)
        to = next
      }
      const skipped = counts.pending ?? 0
      parts.push({
        framework: 'rspec',
        from: at,
        to,
        passed: Math.max(0, total - failed - skipped),
        failed,
        skipped,
        total: Math.max(total, failed + skipped),
        tests: tests.list(),
        ...(outside > 0 && {
          suitesFailed: outside,
          broken: `${count(outside, 'error')} outside of examples (rspec).`,
        }),
      })
      at = to
    }
    return parts
  },
}
