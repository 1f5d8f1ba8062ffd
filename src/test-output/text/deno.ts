import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests, tally } from '../scan.ts'

const HEADER = /^running \d+ tests? from (\S.*)$/
const SUMMARY = /^(ok|FAILED) \| (\d+ passed.*?)(?: \(\d+(?:\.\d+)?(?:ms|s|m)(?:\d+s)?\))?$/
const TEST = /^(\S.*?) \.\.\. (?:.*\s)?(ok|FAILED|ignored|cancelled)(?: \(.*\))?$/
const NONE = /^error: No test modules found/
const ERROR =
  /^error: (?:Type checking failed\.|Module not found "|Test failed$|The module's source code could not be parsed)/
const STATES: Record<string, TestState> = { ok: 'passed', ignored: 'skipped' }

export const deno: TextReader = {
  framework: 'deno test',
  hints: ['ok | ', 'FAILED | ', 'error: No test modules', 'error: Type checking failed', 'error: Module not found'],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      if (first < 0 && HEADER.test(lines[at]!)) first = at
      const summary = SUMMARY.exec(lines[at]!)
      if (summary === null) continue
      const from = first >= 0 ? first : after
      // Steps are in brackets after their tests.
      const counts = tally(summary[2]!.replace(/\([^)]*\)/g, ''))
      const tests = new Tests()
      let file: string | undefined
      for (let line = from; line < at; line += 1) {
        file = HEADER.exec(lines[line]!)?.[1] ?? file
        const test = TEST.exec(lines[line]!)
        if (test !== null)
          tests.set(file === undefined ? test[1]! : `${file} > ${test[1]}`, STATES[test[2]!] ?? 'failed', file)
      }
      const failed = counts.failed ?? 0
      parts.push({
        framework: 'deno test',
        from: first >= 0 ? first : at,
        to: at,
        passed: (counts.passed ?? 0) + (counts.measured ?? 0),
        failed,
        skipped: counts.ignored ?? 0,
        tests: tests.list(),
        ...(summary[1] === 'FAILED' && failed === 0 && { broken: 'The run failed without a failed test (deno test).' }),
      })
      first = -1
      after = at + 1
    }
    const none = { framework: 'deno test', passed: 0, failed: 0, skipped: 0 }
    const error = lines.findIndex((line, index) => index >= after && ERROR.test(line))
    if (error >= 0 && parts.every((part) => part.failed === 0)) {
      parts.push({ ...none, from: error, to: error, suitesFailed: 1, broken: `${lines[error]!.trim()} (deno test)` })
    } else if (parts.length === 0) {
      const empty = lines.findIndex((line) => NONE.test(line))
      if (empty >= 0) parts.push({ ...none, from: empty, to: empty })
    }
    return parts
  },
}
