import type { Part, TestCase, TextReader } from '../../../packages/test-output/src/types.ts'

const LABELS = ['Total', 'Passed', 'Skipped', 'Duration'] as const
const LINE = /^ {2}(Total|Passed|Skipped|Duration): +(\d+)/
/** The name of a failed test, in quotes, after its suite if it has one. */
const FAILED = /^ +FAIL {2}(?:(.+?) {2})?"(.*)"$/

/** uvu ends with its totals. It names only the tests that failed, and skipped ones are not in the total. */
export const uvu: TextReader = {
  framework: 'uvu',
  hints: ['  Duration: '],
  read: (lines) => {
    const parts: Part[] = []
    let from = 0
    for (let at = 0; at + 3 < lines.length; at += 1) {
      const found = LABELS.map((_label, step) => LINE.exec(lines[at + step]!))
      if (found.some((match, step) => match?.[1] !== LABELS[step])) continue
      const [total = 0, passed = 0, skipped = 0] = found.map((match) => Number(match![2]))
      const failed = Math.max(0, total - passed)
      const tests = lines.slice(from, at).flatMap((line): readonly TestCase[] => {
        const match = FAILED.exec(line)
        if (match === null) return []
        return [{ name: [match[1], match[2]].filter((part) => part !== undefined).join(' > '), state: 'failed' }]
      })
      parts.push({ framework: 'uvu', from: at, to: at + 3, passed, failed, skipped, tests })
      from = at + 4
    }
    return parts
  },
}
