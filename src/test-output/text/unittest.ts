import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests } from '../scan.ts'

const RAN = /^Ran (\d+) tests? in \d+(?:\.\d+)?s\s*$/
const VERDICT = /^(OK|FAILED|PASSED|NO TESTS RAN)(?: \(((?:[a-z ]+=\d+(?:, )?)+)\))?\s*$/
const VERBOSE =
  /^(\S+ \([^\s()]+\)(?: \[.*\]| \(.*\))?|\S.*?) \.\.\. (?:.*\s)?(ok|OK|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/
const HEAD = /^(\S+) \(([^\s()]+)\)/
const REPORTED = /^(FAIL|ERROR|UNEXPECTED SUCCESS): (\S+) \(([^\s()]+)\)/
const UNLOADED = /^(?:FAIL|ERROR): (\S+) \(unittest\.loader\._FailedTest/
const REACH = 60

const nameOf = (test: string, place: string): string => (place.endsWith(`.${test}`) ? place : `${place}.${test}`)

function stateOf(word: string): TestState {
  if (/^ok$/i.test(word)) return 'passed'
  return word.startsWith('skipped') || word === 'expected failure' ? 'skipped' : 'failed'
}

function namesIn(lines: readonly string[], from: number, to: number): { tests: Tests; unloaded: Set<string> } {
  const tests = new Tests()
  const unloaded = new Set<string>()
  let head: RegExpExecArray | null = null
  for (let at = from; at < to; at += 1) {
    const line = lines[at]!
    const reported = REPORTED.exec(line)
    if (UNLOADED.test(line)) unloaded.add(UNLOADED.exec(line)![1]!)
    else if (reported !== null) tests.set(nameOf(reported[2]!, reported[3]!), 'failed')
    const verbose = VERBOSE.exec(line)
    // A test with a docstring has its name on one line and its result on the next.
    head = HEAD.exec(line) ?? head
    if (verbose !== null && head !== null) tests.set(nameOf(head[1]!, head[2]!), stateOf(verbose[2]!))
    if (verbose !== null) head = null
  }
  return { tests, unloaded }
}

/** `failures=1, errors=2` */
function marks(text: string | undefined): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [, word, number] of (text ?? '').matchAll(/([a-z ]+)=(\d+)/g)) counts[word!.trim()] = Number(number)
  return counts
}

/** Other output may be between the count and the result: Django destroys its databases there. */
function verdictAfter(lines: readonly string[], at: number): number {
  for (let next = at + 1; next < Math.min(lines.length, at + REACH); next += 1) {
    if (VERDICT.test(lines[next]!)) return next
    if (RAN.test(lines[next]!)) break
  }
  return -1
}

export const unittest: TextReader = {
  framework: 'unittest',
  hints: ['Ran '],
  read: (lines) => {
    const parts: Part[] = []
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      const ran = RAN.exec(lines[at]!)
      if (ran === null) continue
      const end = verdictAfter(lines, at)
      const to = end < 0 ? at : end
      const verdict = end < 0 ? null : VERDICT.exec(lines[end]!)
      const counts = marks(verdict?.[2])
      const { tests, unloaded } = namesIn(lines, after, at)
      const total = Number(ran[1])
      const failed = (counts.failures ?? 0) + (counts.errors ?? 0) + (counts['unexpected successes'] ?? 0)
      const skipped = (counts.skipped ?? 0) + (counts.skips ?? 0)
      const aside = counts['expected failures'] ?? 0
      const passed = Math.max(0, total - failed - skipped - aside)
      parts.push({
        framework: 'unittest',
        from: at,
        to,
        passed,
        failed,
        skipped,
        // Errors of classes, modules and sub-tests are counted separately from the tests that ran.
        total: Math.max(total, passed + failed + skipped + aside),
        aside,
        suitesFailed: unloaded.size,
        tests: tests.list(),
        ...(verdict?.[1] === 'FAILED' &&
          failed === 0 && { broken: 'The run failed without a failed test (unittest).' }),
        ...(verdict === null && { unproven: 'The result after the count is missing (unittest).' }),
      })
      after = to + 1
    }
    return parts
  },
}
