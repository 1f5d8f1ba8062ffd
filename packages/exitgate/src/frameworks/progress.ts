import type { TestState } from '../../../test-output/src/types.ts'
import { stateOf } from '../../../test-output/src/words.ts'

type TestCounts = Record<TestState, number>

/** `test a::b ... ok`, `ok 3 - name`, `PASSED`, `--- FAIL: TestA`: one line per test, as runners print them while they run. */
const LINES: readonly RegExp[] = [
  /^\{.*"Action":"(?<sign>pass|fail|skip)".*"Test":"/,
  /^test \S.* \.\.\. (?<sign>ok|FAILED|ignored)\b/,
  /^(?:not )?ok \d+\b.*# (?<sign>SKIP)/i,
  /^(?<sign>(?:not )?ok) \d+\b/,
  /^\S.*::\S.* (?<sign>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/,
  /^\s*--- (?<sign>PASS|FAIL|SKIP): /,
  /^\s*(?<sign>[✔✓√✖✕✗×﹣○↓]) \S/u,
]
/** Pytest, rspec, phpunit and minitest print one letter per test. */
const DOTS = /^(?:\S+\.py )?([.FEsSxXI*WRN]{2,}|[.FE])(?:\s+(?:\[\s*\d+%\]|\d+ \/ \d+ \(\s*\d+%\)))?\s*$/
/** Vitest prints one line per file: `✓ a.test.ts (5 tests | 1 failed)`. */
const PER_FILE = /^\s*[✓❯×✗] .*\((\d+) tests?(?: \| (\d+) failed)?(?: \| (\d+) skipped)?\)/u
const COLORS = /\x1b\[[0-9;]*m/g
/** After the last test, runners list the failures again. */
const SUMMARY =
  /^(?:\s*✖ failing tests:|=+ (?:FAILURES|ERRORS|short test summary)|failures:$|\s*Failures:$|Failed tests?:)/i
const LONGEST = 4096

/** Counts test results in output as it comes. Undefined until a line shows one. The report at the end is what counts as proof. */
export function testProgress(): (text: string) => TestCounts | undefined {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  let open = ''
  let over = false
  const read = (line: string): void => {
    over ||= SUMMARY.test(line)
    if (over) return
    const perFile = PER_FILE.exec(line)
    if (perFile !== null) {
      const [total = 0, failed = 0, skipped = 0] = perFile.slice(1).map((digits) => Number(digits ?? 0))
      counts.failed += failed
      counts.skipped += skipped
      counts.passed += Math.max(0, total - failed - skipped)
      return
    }
    const sign = LINES.map((pattern) => pattern.exec(line)?.groups?.sign).find(Boolean)
    const state = sign === undefined ? undefined : stateOf(sign, { 'not ok': 'failed' })
    if (state !== undefined) {
      counts[state] += 1
      return
    }
    const [, letters = ''] = DOTS.exec(line) ?? []
    for (const letter of letters) counts[letter === '.' ? 'passed' : /[FE]/.test(letter) ? 'failed' : 'skipped'] += 1
  }
  return (text) => {
    const lines = (open + text).split(/\r?\n/)
    open = (lines.pop() ?? '').slice(-LONGEST)
    for (const line of lines) read(line.slice(0, LONGEST).replace(COLORS, ''))
    return counts.passed + counts.failed + counts.skipped === 0 ? undefined : { ...counts }
  }
}
