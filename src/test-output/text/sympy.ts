import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { tally } from '../scan.ts'

const HEADER = /^=+ test process starts =+$/
const SUMMARY = /^=+ tests finished: (.*?),? in \d+(?:\.\d+)? seconds =+$/
const TEST = /^(test_\w+) (ok|f|F|E|s|X|w|T)\b/
const FAILED_TEST = /^_+ (\S+\.py):(test_\w+) _+$/

/** The runner that sympy ships, and those derived from it. */
export const sympy: TextReader = {
  framework: 'sympy',
  hints: ['tests finished: '],
  read: (lines) => {
    const parts: Part[] = []
    let from = -1
    for (let at = 0; at < lines.length; at += 1) {
      if (HEADER.test(lines[at]!)) from = at
      const summary = SUMMARY.exec(lines[at]!)
      if (summary === null) continue
      const counts = tally(summary[1]!)
      const start = from >= 0 ? from : at
      const within = lines.slice(start, at)
      const failing = within.map((line) => FAILED_TEST.exec(line)).filter((match) => match !== null)
      const failedNames = new Set(failing.map((match) => match[2]))
      const others = within
        .map((line) => TEST.exec(line))
        .filter((match) => match !== null && match[2] === 'ok' && !failedNames.has(match[1]))
      parts.push({
        framework: 'sympy',
        from: start,
        to: at,
        passed: (counts.passed ?? 0) + (counts['expected to fail but passed'] ?? 0),
        failed: (counts.failed ?? 0) + (counts.exceptions ?? 0) + (counts.exception ?? 0),
        skipped: counts.skipped ?? 0,
        aside: counts['expected to fail'] ?? 0,
        tests: [
          ...others.map((match) => ({ name: match![1]!, state: 'passed' as const })),
          ...failing.map((match) => ({ name: match[2]!, state: 'failed' as const, file: match[1]! })),
        ],
      })
      from = -1
    }
    return parts
  },
}
