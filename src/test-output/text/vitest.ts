import { count } from '../../../packages/core/src/count.ts'
import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests, tally } from '../scan.ts'

const HEADER = /^\s*(?:RUN|DEV) {1,2}v?\d+\.\d+/
const AGAIN = /^\s*RERUN {1,2}\S/
const COUNTS = '((?:\\d+ [a-z]+(?: \\| )?)+ ?\\(\\d+\\)|no tests)'
const FILES = new RegExp(`^\\s*Test Files {2,}${COUNTS}\\s*$`)
const TESTS = new RegExp(`^\\s*Tests {2,}${COUNTS}\\s*$`)
const ERRORS = /^\s*(?:Type )?Errors {2,}(\d+) errors?\s*$/
const ENDING = /^\s*(?:Start at|Duration|Time|Snapshots|Type Errors|Errors|Test Files|Tests) {2,}/
const UNHANDLED = /^Vitest caught \d+ unhandled errors? during the test run/
const NO_FILES = /^\s*No test (?:files|suite|projects?) .*found\b|^No test files found/
/** Verbose: ` ✓ file > group > name 3ms`. Without the file, a line would not identify a test. */
const TEST_LINE = /^\s*(✓|√|×|✗|↓|□|❯)\s+(?:\|[^|]+\| )?(\S.*? > .*?)(?:\s+\d+(?:\.\d+)?\s?m?s)?\s*$/
const FAILED_LINE = /^\s*FAIL {2}(?:\|[^|]+\| |\S+ (?=\S+ > ))?(\S.*?)\s*$/
const LOADED_LINE = /^(.*\S) \[ .* \]$/
const STATES: Record<string, TestState> = {
  '✓': 'passed',
  '√': 'passed',
  '×': 'failed',
  '✗': 'failed',
  '↓': 'skipped',
  '□': 'skipped',
}

function namesIn(lines: readonly string[], from: number, to: number): { tests: Tests; unloaded: Set<string> } {
  const tests = new Tests()
  const unloaded = new Set<string>()
  for (let at = from; at <= to; at += 1) {
    const line = lines[at]!
    const failed = FAILED_LINE.exec(line)
    if (failed !== null) {
      const file = LOADED_LINE.exec(failed[1]!)
      if (file !== null) unloaded.add(file[1]!)
      else if (failed[1]!.includes(' > ')) tests.set(failed[1]!, 'failed', failed[1]!.split(' > ')[0]!)
      continue
    }
    const test = TEST_LINE.exec(line)
    const state = test === null ? undefined : STATES[test[1]!]
    if (state !== undefined && !tests.has(test![2]!)) tests.set(test![2]!, state, test![2]!.split(' > ')[0]!)
  }
  return { tests, unloaded }
}

function summary(lines: readonly string[], header: number | undefined, after: number, at: number): Part {
  const from = header ?? Math.max(after, at - 1)
  let to = at
  let errors = 0
  let files = 0
  for (let line = Math.max(from, at - 3); line < Math.min(lines.length, at + 8); line += 1) {
    const text = lines[line]!
    const file = FILES.exec(text)
    if (file !== null && line <= at) files = tally(file[1]!).failed ?? 0
    if (line <= at) continue
    if (!ENDING.test(text) || TESTS.test(text)) break
    errors += Number(ERRORS.exec(text)?.[1] ?? 0)
    to = line
  }
  const text = TESTS.exec(lines[at]!)![1]!
  const counts = tally(text)
  const { tests, unloaded } = namesIn(lines, header ?? after, at)
  const failed = counts.failed ?? 0
  const escaped = errors > 0 || lines.slice(from, at).some((line) => UNHANDLED.test(line))
  const suitesFailed = Math.max(unloaded.size, failed === 0 ? files : 0)
  const broken = escaped
    ? 'Errors outside of the tests (vitest).'
    : suitesFailed > 0
      ? `${count(suitesFailed, 'test file')} could not be run (vitest).`
      : undefined
  return {
    framework: 'vitest',
    from,
    to,
    passed: counts.passed ?? 0,
    failed,
    skipped: (counts.skipped ?? 0) + (counts.todo ?? 0),
    total: Number(/\((\d+)\)$/.exec(text.trim())?.[1] ?? 0),
    suitesFailed,
    tests: tests.list(),
    ...(broken !== undefined && { broken }),
  }
}

const unfinished = (from: number, to: number, unproven: string): Part => ({
  framework: 'vitest',
  from,
  to,
  passed: 0,
  failed: 0,
  skipped: 0,
  unproven,
})

/** The summary of vitest, one for each run in the text. In watch mode only the last counts. */
export const vitest: TextReader = {
  framework: 'vitest',
  hints: ['Tests  ', ' RUN  v', ' DEV  v'],
  read: (lines) => {
    let parts: Part[] = []
    const open: number[] = []
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (HEADER.test(line)) open.push(at)
      else if (AGAIN.test(line)) {
        parts = []
        open.length = 0
        open.push(at)
      } else if (TESTS.test(line)) {
        const part = summary(lines, open.pop(), after, at)
        parts.push(part)
        after = part.to + 1
      } else if (NO_FILES.test(line) && open.length > 0) {
        parts.push(unfinished(open.pop()!, at, 'No test files found (vitest).'))
      }
    }
    for (const from of open) parts.push(unfinished(from, lines.length - 1, 'vitest started but printed no summary.'))
    return parts
  },
}
