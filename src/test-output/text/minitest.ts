import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests, tally } from '../scan.ts'

const SUMMARY =
  /^\s*(\d+) (?:runs|run|tests|test), \d+ assertions?, (\d+ failures?, \d+ errors?(?:, \d+ (?:skips?|pendings?|omissions?|notifications?))*)\s*$/
const HEADER = /^(?:# Running(?: tests.*)?:|Run options: .*--seed|Loaded suite )/
const VERBOSE = /^(\S+#test\S*) = \d+(?:\.\d+)? s = (.)$/
const FAILED_TEST = /^(?:\s*\d+\) (?:Failure|Error):$|(?:Failure|Error): (\S+)\((\S+)\))/
const NAME = /^(\S+#\S+)(?: \[.*\])?:\s*$/
const STATES: Record<string, TestState> = {
  '.': 'passed',
  F: 'failed',
  E: 'failed',
  S: 'skipped',
}

/** minitest, test-unit, and Rails on top of them. */
export const minitest: TextReader = {
  framework: 'minitest',
  hints: [' assertions, ', ' assertion, '],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    for (let at = 0; at < lines.length; at += 1) {
      if (first < 0 && HEADER.test(lines[at]!)) first = at
      const summary = SUMMARY.exec(lines[at]!)
      if (summary === null) continue
      const counts = tally(summary[2]!)
      const sum = (...words: readonly string[]) => words.reduce((all, word) => all + (counts[word] ?? 0), 0)
      const total = Number(summary[1])
      const failed = sum('failures', 'failure', 'errors', 'error')
      const skipped = sum('skips', 'skip', 'pendings', 'pending', 'omissions', 'omission')
      parts.push({
        framework: 'minitest',
        from: first >= 0 ? first : at,
        to: at,
        passed: Math.max(0, total - failed - skipped),
        failed,
        skipped,
        total: Math.max(total, failed + skipped),
        tests: namesIn(lines, first >= 0 ? first : Math.max(0, at - 2_000), at).list(),
      })
      first = -1
    }
    return parts
  },
}

function namesIn(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  let failure = false
  for (let at = from; at < to; at += 1) {
    const verbose = VERBOSE.exec(lines[at]!)
    if (verbose !== null) tests.set(verbose[1]!, STATES[verbose[2]!] ?? 'failed')
    const failed = FAILED_TEST.exec(lines[at]!)
    const name = failure ? NAME.exec(lines[at]!) : null
    if (name !== null) tests.set(name[1]!, 'failed')
    if (failed?.[1] !== undefined) tests.set(`${failed[2]}#${failed[1]}`, 'failed')
    failure = failed !== null && failed[1] === undefined
  }
  return tests
}
