import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { outline } from '../outline.ts'

const PASSING = /^\s*(\d+) passing(?: \(\d+(?:\.\d+)?\s?(?:ms|s|m|h|minutes?|seconds?)\))?\s*$/
const PENDING = /^\s*(\d+) pending\s*$/
const FAILING = /^\s*(\d+) failing\s*$/
const MARK = /^(\s+)(✓|√|✔|-|\d+\))\s+(.*?)(?: \(\d+(?:\.\d+)?m?s\))?\s*$/
const STATES: Record<string, TestState> = { '✓': 'passed', '√': 'passed', '✔': 'passed', '-': 'skipped' }
const FIRST_MARK = /^\s+(?:✓|√|✔|\d+\))\s+\S/

/** mocha, and tools built on it (Cypress, Hardhat, WebdriverIO's spec reporter). */
export const mocha: TextReader = {
  framework: 'mocha',
  hints: [' passing'],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    for (let at = 0; at < lines.length; at += 1) {
      const passing = PASSING.exec(lines[at]!)
      if (passing === null) {
        if (first < 0 && FIRST_MARK.test(lines[at]!)) first = at
        continue
      }
      let to = at
      let pending = 0
      let failing = 0
      for (let next = at + 1; next < Math.min(lines.length, at + 6); next += 1) {
        const line = lines[next]!
        if (line.trim() === '') continue
        if (PENDING.test(line)) pending = Number(PENDING.exec(line)![1])
        else if (FAILING.test(line)) failing = Number(FAILING.exec(line)![1])
        else break
        to = next
      }
      const from = first >= 0 ? Math.max(first - 1, 0) : at
      const tests = first < 0 ? [] : outline(lines, outlineStart(lines, first), at, MARK, STATES)
      parts.push({ framework: 'mocha', from, to, passed: Number(passing[1]), failed: failing, skipped: pending, tests })
      first = -1
    }
    return parts
  },
}

/** The groups above the first test belong to its name. */
function outlineStart(lines: readonly string[], first: number): number {
  let start = first
  while (start > 0 && first - start < 20 && /^\s+\S/.test(lines[start - 1]!)) start -= 1
  return start
}
