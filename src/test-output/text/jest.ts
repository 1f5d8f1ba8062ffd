import { count } from '../../../packages/core/src/count.ts'
import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { outline } from '../outline.ts'
import { above, Tests, tally } from '../scan.ts'

const SUITES = /^Test Suites:\s+((?:\d+ [a-z]+, )*\d+ (?:of \d+ )?total)\s*$/
const TESTS = /^Tests:\s+((?:\d+ [a-z]+, )*\d+ total)\s*$/
const ENDING = /^(?:Snapshots:|Time:|Ran all test suites)/
const FILE = /^(PASS|FAIL) (?:\S+ )?(\S+\.\w+)(?: \([\d.]+ ?m?s.*\))?\s*$/
const FAILED_TEST = /^\s*● (.+ › .+|\S.*?)\s*$/
const NOT_A_TEST =
  /^(?:Console|Test suite failed to run|Validation (?:Error|Warning)|Deprecation Warning|Cannot log after|Multiple configurations|.*\bTest suite failed to run)/
const NONE = /^No tests found, exiting with code/
const MARK = /^(\s+)(✓|√|✕|×|○|✎)\s+(?:(?:skipped|todo) )?(.*?)(?: \(\d+(?:\.\d+)? ?m?s\))?\s*$/
const STATES: Record<string, TestState> = {
  '✓': 'passed',
  '√': 'passed',
  '✕': 'failed',
  '×': 'failed',
  '○': 'skipped',
  '✎': 'skipped',
}

function namesIn(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  let start = -1
  let file = ''
  const flush = (end: number) => {
    if (start < 0) return
    for (const { name, state } of outline(lines, start, end, MARK, STATES)) tests.set(name, state, file)
  }
  for (let at = from; at <= to; at += 1) {
    const head = FILE.exec(lines[at]!)
    if (head !== null) {
      flush(at)
      start = at + 1
      file = head[2]!
      continue
    }
    const failed = FAILED_TEST.exec(lines[at]!)
    if (failed !== null && !NOT_A_TEST.test(failed[1]!)) tests.set(failed[1]!.replaceAll(' › ', ' > '), 'failed')
  }
  flush(to)
  return tests
}

/** The end of a jest run: suites, tests, snapshots, time. Several in one output are several projects. */
function summary(lines: readonly string[], after: number, at: number): Part {
  const suites = above(lines, at, Math.max(after, at - 3), SUITES)
  const files = suites < 0 ? {} : tally(SUITES.exec(lines[suites]!)![1]!)
  const counts = tally(TESTS.exec(lines[at]!)![1]!)
  // `3 of 4 total`: the others were skipped, or never reached.
  const some = suites < 0 ? null : /(\d+) of (\d+) total/.exec(lines[suites]!)
  const missing = some === null ? 0 : Number(some[2]) - Number(some[1]) - (files.skipped ?? 0)
  let to = at
  while (to + 1 < lines.length && to < at + 4 && (ENDING.test(lines[to + 1]!) || lines[to + 1] === '')) to += 1
  while (lines[to] === '') to -= 1
  const firstFile = lines.findIndex((line, index) => index >= after && index < at && FILE.test(line))
  const from = firstFile >= 0 ? firstFile : suites >= 0 ? suites : at
  const tests = namesIn(lines, from, at)
  const failed = counts.failed ?? 0
  const named = lines.slice(from, at).filter((line) => /● (?:.* › )?Test suite failed to run/.test(line)).length
  const unrun = Math.max(named, failed === 0 ? (files.failed ?? 0) : 0)
  return {
    framework: 'jest',
    from,
    to,
    passed: counts.passed ?? 0,
    failed,
    skipped: (counts.skipped ?? 0) + (counts.pending ?? 0) + (counts.todo ?? 0),
    total: counts.total ?? 0,
    suitesFailed: unrun,
    tests: tests.list(),
    ...(missing > 0 && { unproven: `${count(missing, 'test suite')} did not run (jest).` }),
    ...(unrun > 0 && { broken: `${count(unrun, 'test suite')} could not be run (jest).` }),
  }
}

export const jest: TextReader = {
  framework: 'jest',
  hints: ['Tests: ', 'No tests found, exiting'],
  read: (lines) => {
    const parts: Part[] = []
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      if (TESTS.test(lines[at]!)) {
        const part = summary(lines, after, at)
        parts.push(part)
        after = part.to + 1
      } else if (NONE.test(lines[at]!)) {
        parts.push({ framework: 'jest', from: at, to: at, passed: 0, failed: 0, skipped: 0 })
      }
    }
    return parts
  },
}
