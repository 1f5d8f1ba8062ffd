import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { above, Tests, tally } from '../scan.ts'

const SUMMARY =
  /^((?:\d+ (?:doctests?|properties|property|features?), )*\d+ tests?), (\d+ failures?(?:, \d+ (?:skipped|invalid|excluded|not run))*)(?: \((\d+) excluded\))?(?: in \d+(?:\.\d+)? seconds?)?\s*$/
const FINISHED = /^Finished in \d+(?:\.\d+)? (?:seconds|ms)/
const BATS_LINE = /^ (✓|✗|-) (.*?)\s*$/
const FAILED_TEST = /^ +\d+\) (?:test|property|doctest|feature) (.+?)(?: \(([\w.]+)\))?\s*$/
const REACH = 40

/** bats in its pretty form ends with the same words as ExUnit, but without the time that ExUnit prints above. */
function batsNames(lines: readonly string[], from: number, at: number): Tests {
  const tests = new Tests()
  for (let line = from; line < at; line += 1) {
    const test = BATS_LINE.exec(lines[line]!)
    if (test === null) continue
    const name = test[2]!.replace(/ \(skipped(?::.*)?\)$/, '')
    tests.set(name, test[1] === '✓' ? 'passed' : test[1] === '✗' ? 'failed' : 'skipped')
  }
  return tests
}

function exunitNames(lines: readonly string[], from: number, at: number): Tests {
  const tests = new Tests()
  for (let line = from; line < at; line += 1) {
    const test = FAILED_TEST.exec(lines[line]!)
    if (test !== null) tests.set([test[2], test[1]].filter(Boolean).join(' > '), 'failed')
  }
  return tests
}

export const exunit: TextReader = {
  framework: 'exunit',
  hints: [' tests, ', ' test, '],
  read: (lines) => {
    const parts: Part[] = []
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      const summary = SUMMARY.exec(lines[at]!)
      if (summary === null) continue
      const kinds = tally(summary[1]!)
      const counts = tally(summary[2]!)
      const total = Object.values(kinds).reduce((sum, number) => sum + number, 0)
      const excluded = Number(summary[3] ?? counts.excluded ?? 0)
      const failed = (counts.failures ?? counts.failure ?? 0) + (counts.invalid ?? 0)
      const skipped = counts.skipped ?? 0
      const elixir = above(lines, at, after, FINISHED, REACH) >= 0
      const bats = !elixir && above(lines, at, after, BATS_LINE) >= 0
      const tests = bats ? batsNames(lines, after, at) : exunitNames(lines, after, at)
      parts.push({
        framework: bats ? 'bats' : 'exunit',
        from: at,
        to: at,
        passed: Math.max(0, total - failed - skipped - excluded - (counts['not run'] ?? 0)),
        failed,
        skipped,
        total,
        aside: excluded,
        tests: tests.list(),
      })
      after = at + 1
    }
    return parts
  },
}
