import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests } from '../scan.ts'

const HEADER = /^Test project \S/
const SUMMARY = /^(\d+)% tests passed(?:, (\d+) tests? failed)? out of (\d+)\s*$/
const LINE = /^ *(?:\d+\/\d+ )?Test +#\d+: (\S.*?) \.{2,}(.*)$/
const ENDING = /^Total Test time \(real\) =/
const NONE = /^No tests were found!!!/
const START = /^ {4}Start +\d+: /
/** LastTest.log, which contains every program's complete output. */
const LOGGED = /^Test (?:Failed|Timeout)\.\s*$/
const LISTED = /^\t *\d+ - (\S.*?) \((.*)\)/

function stateOf(result: string): TestState {
  if (/^\s*Passed\b/.test(result)) return 'passed'
  return /\*\*\*(?:Skipped|Not Run \(Disabled\))|Disabled/.test(result) ? 'skipped' : 'failed'
}

/** ctest shows what its programs print, so summaries of other runners may be between its lines. */
export const ctest: TextReader = {
  framework: 'ctest',
  hints: ['% tests passed', 'No tests were found!!!', 'Test project ', 'Test Failed.', 'Test Timeout.'],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    let tests = new Tests()
    const disabled = new Set<string>()
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (first < 0 && (HEADER.test(line) || START.test(line))) first = at
      const test = LINE.exec(line)
      if (test !== null) tests.set(test[1]!, stateOf(test[2]!))
      // Disabled tests are listed, but not part of the total.
      if (test !== null && /Disabled/.test(test[2]!)) disabled.add(test[1]!)
      if (NONE.test(line))
        parts.push({ framework: 'ctest', from: first < 0 ? at : first, to: at, passed: 0, failed: 0, skipped: 0 })
      const summary = SUMMARY.exec(line)
      if (summary === null) continue
      const failed = Number(summary[2] ?? 0)
      const total = Number(summary[3])
      const skipped = Math.min(total - failed, Math.max(0, tests.count('skipped') - disabled.size))
      const to = ending(lines, at, tests)
      parts.push({
        framework: 'ctest',
        from: first < 0 ? at : first,
        to,
        passed: total - failed - skipped,
        failed,
        skipped,
        total,
        tests: tests.list(),
      })
      at = to
      first = -1
      tests = new Tests()
      disabled.clear()
    }
    const logged = lines.findIndex((line) => LOGGED.test(line))
    if (logged >= 0 && lines.some((line) => /^\d+\/\d+ Testing: /.test(line))) {
      const broken = 'The log contains a failed test (ctest).'
      parts.push({
        framework: 'ctest',
        from: logged,
        to: logged,
        passed: 0,
        failed: 0,
        skipped: 0,
        wrapper: true,
        broken,
      })
    }
    if (first >= 0 && tests.list().length > 0) {
      const unproven = 'The closing lines are missing (ctest).'
      parts.push({ framework: 'ctest', from: first, to: lines.length - 1, passed: 0, failed: 0, skipped: 0, unproven })
    }
    return parts
  },
}

/** Below the summary are the time and the names of the failed tests. */
function ending(lines: readonly string[], at: number, tests: Tests): number {
  let to = at
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next]!
    const listed = LISTED.exec(line)
    if (listed !== null) tests.set(listed[1]!, /Skipped|Disabled/.test(listed[2]!) ? 'skipped' : 'failed')
    if (
      listed !== null ||
      ENDING.test(line) ||
      /^The following tests |^Errors while running CTest|^Label Time Summary/.test(line)
    )
      to = next
    else if (line.trim() !== '' && !/^\S+ += +\d/.test(line)) break
  }
  return to
}
