import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests, tally } from '../scan.ts'

const SUMMARY = /^ {2}Tests: {2,}((?:\d+ [a-z]+(?:, )?)+)(?: \(\d+ assertions?\))?\s*$/
const ENDING = /^ {2}(?:Duration|Time): +\S/
const GROUP = /^ {2,3}(PASS|FAIL|WARN|TODO|RISK|NOTE) {1,2}(\S+)/
const TEST = /^ {2}(✓|⨯|×|✕|✗|-|↓|!|…) (.+?)(?: {2,}\d+(?:\.\d+)?s)?\s*$/
const STATES: Record<string, TestState> = {
  '✓': 'passed',
  '⨯': 'failed',
  '×': 'failed',
  '✕': 'failed',
  '✗': 'failed',
  '!': 'passed',
}

/** Pest, and Laravel's `artisan test`, which prints the same. */
export const pest: TextReader = {
  framework: 'pest',
  hints: ['  Tests:  '],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    for (let at = 0; at < lines.length; at += 1) {
      if (first < 0 && GROUP.test(lines[at]!)) first = at
      const summary = SUMMARY.exec(lines[at]!)
      if (summary === null || /\btotal\b/.test(summary[1]!)) continue
      const counts = tally(summary[1]!)
      const from = first >= 0 ? first : at
      const tests = new Tests()
      let group = ''
      for (let line = from; line < at; line += 1) {
        group = GROUP.exec(lines[line]!)?.[2] ?? group
        const test = TEST.exec(lines[line]!)
        if (test !== null) tests.set(group === '' ? test[2]! : `${group} > ${test[2]}`, STATES[test[1]!] ?? 'skipped')
      }
      const { passed = 0, failed = 0, risky = 0, deprecated = 0, skipped = 0, incomplete = 0 } = counts
      parts.push({
        framework: 'pest',
        from,
        to: at + 1 < lines.length && ENDING.test(lines[at + 1]!) ? at + 1 : at,
        passed:
          passed +
          risky +
          deprecated +
          (counts.notices ?? counts.notice ?? 0) +
          (counts.warnings ?? counts.warning ?? counts.warn ?? 0),
        failed,
        skipped: skipped + incomplete + (counts.todos ?? counts.todo ?? 0) + (counts.pending ?? 0),
        tests: tests.list(),
      })
      first = -1
    }
    return parts
  },
}
