import type { TestCounts } from '../core/loop-event.ts'

const GO_EVENT = /^\{.*"Action":"(pass|fail|skip)".*"Test":"/
/** `test a::b ... ok`, `ok 3 - name`, `PASSED`, `--- FAIL: TestA`: one line per test, as runners print them while they run. */
const LINES: readonly (readonly [RegExp, (found: RegExpExecArray) => keyof TestCounts | undefined])[] = [
  [GO_EVENT, ([, action]) => (action === 'pass' ? 'passed' : action === 'fail' ? 'failed' : 'skipped')],
  [
    /^test \S.* \.\.\. (ok|FAILED|ignored)\b/,
    ([, end]) => (end === 'ok' ? 'passed' : end === 'FAILED' ? 'failed' : 'skipped'),
  ],
  [/^(not )?ok \d+\b(.*)$/, ([, not, rest = '']) => (/# SKIP/i.test(rest) ? 'skipped' : not ? 'failed' : 'passed')],
  [
    /^\S.*::\S.* (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/,
    ([, end]) =>
      end === 'PASSED' || end === 'XPASS' ? 'passed' : /^(?:FAILED|ERROR)$/.test(end ?? '') ? 'failed' : 'skipped',
  ],
  [/^\s*--- (PASS|FAIL|SKIP): /, ([, end]) => (end === 'PASS' ? 'passed' : end === 'FAIL' ? 'failed' : 'skipped')],
  [/^\s*[✔✓√] \S/u, () => 'passed'],
  [/^\s*[✖✕✗×] \S/u, () => 'failed'],
  [/^\s*[﹣○↓] \S/u, () => 'skipped'],
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
    for (const [pattern, stateOf] of LINES) {
      const found = pattern.exec(line)
      const state = found === null ? undefined : stateOf(found)
      if (state === undefined) continue
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
