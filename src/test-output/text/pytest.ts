import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { below, Tests, tally } from '../scan.ts'

const HEADER = /^=+ test session starts =+$/
/** The last line of a run, with rulers or (with -q) without: `2 failed, 5 passed, 1 warning in 0.31s (0:00:00)`. */
const SUMMARY =
  /^(?:=+ )?((?:\d+ [a-z]+(?: [a-z]+)*, )*\d+ [a-z]+(?: [a-z]+)*|no tests ran|no tests collected[^=]*) in \d+(?:\.\d+)? ?s(?:econds)?\b(?: \(\d+:\d+:\d+\)| \(\d+ days?, [\d:]+\))?(?: =+)?$/
/** pytest-sugar: `Results (0.05s):` and below it one count per line. */
const SUGAR = /^Results \(\d+(?:\.\d+)?m?s\):$/
const SUGAR_COUNT = /^ {2,}(\d+) (passed|failed|skipped|xfailed|xpassed|error|errors|rerun|warnings?|deselected)$/
const FAILED = ['failed', 'error', 'errors', 'subtests failed', 'subtest failed'] as const
const WORDS = /\b(?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun|no tests|collected)\b/
const STATES: Record<string, TestState> = {
  PASSED: 'passed',
  XPASS: 'passed',
  FAILED: 'failed',
  ERROR: 'failed',
  SKIPPED: 'skipped',
  XFAIL: 'skipped',
}
/** `path::test PASSED [ 10%]` while it runs, `[gw0] [ 10%] PASSED path::test` on workers, `FAILED path::test - why` at the end. */
const RUNNING = /^(\S+\.\w+::.*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/
const SHORT = /^(?:\[gw\d+\] (?:\[ *\d+%\] )?)?(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S+\.\w+::.*?)(?: - .*)?$/
/** `!!!!! KeyboardInterrupt !!!!!`: tests that were not reached are not counted. */
const STOPPED = /^!{3,} (?!stopping after|xdist)(.*?) !{3,}$/
const UNLOADED = /^ERROR (\S+\.py)(?: - .*)?$/

function namesIn(lines: readonly string[], from: number, to: number): { tests: Tests; unloaded: Set<string> } {
  const tests = new Tests()
  const unloaded = new Set<string>()
  for (let at = from; at < to; at += 1) {
    const line = lines[at]!
    const running = RUNNING.exec(line)
    const short = running === null ? SHORT.exec(line) : null
    const [name, word] = running !== null ? [running[1]!, running[2]!] : short !== null ? [short[2]!, short[1]!] : []
    if (name !== undefined) tests.set(name, STATES[word!]!, name.split('::')[0]!)
    else if (UNLOADED.test(line)) unloaded.add(UNLOADED.exec(line)![1]!)
  }
  return { tests, unloaded }
}

interface Where {
  readonly header: number | undefined
  /** Where the previous run ended. */
  readonly after: number
  readonly to: number
  readonly last: number
}

function part(lines: readonly string[], { header, after, to, last }: Where, counts: Record<string, number>): Part {
  const { tests, unloaded } = namesIn(lines, header ?? after, to)
  const stopped = lines
    .slice(header ?? after, to)
    .map((line) => STOPPED.exec(line)?.[1])
    .find(Boolean)
  const failed = FAILED.reduce((sum, word) => sum + (counts[word] ?? 0), 0)
  return {
    framework: 'pytest',
    from: header ?? firstName(lines, after, to),
    to: last,
    passed: (counts.passed ?? 0) + (counts.xpassed ?? 0),
    failed,
    skipped: counts.skipped ?? 0,
    aside: counts.xfailed ?? 0,
    suitesFailed: unloaded.size,
    tests: tests.list(),
    ...(stopped !== undefined && failed === 0 && { unproven: `${stopped} (pytest)` }),
    ...(counts.collected !== undefined && { unproven: 'The tests were only collected (pytest).' }),
  }
}

export const pytest: TextReader = {
  framework: 'pytest',
  hints: [
    'test session starts',
    ' passed',
    ' failed',
    ' error',
    'no tests ran',
    ' deselected',
    ' skipped',
    'Results (',
    ' collected',
  ],
  read: (lines) => {
    const parts: Part[] = []
    const open: number[] = []
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (HEADER.test(line)) open.push(at)
      const summary = SUMMARY.exec(line)
      if (summary !== null && WORDS.test(summary[1]!)) {
        const counts = tally(summary[1]!.replace(/\btests? collected\b/, 'collected'))
        parts.push(part(lines, { header: open.pop(), after, to: at, last: at }, counts))
        after = at + 1
      } else if (SUGAR.test(line)) {
        const counts: Record<string, number> = {}
        let end = at
        for (let next = at + 1; next < lines.length && /^\s|^$/.test(lines[next]!); next += 1) {
          const count = SUGAR_COUNT.exec(lines[next]!)
          if (count === null) continue
          counts[count[2]!] = Number(count[1])
          end = next
        }
        if (end > at) parts.push(part(lines, { header: open.pop(), after, to: at, last: end }, counts))
        after = end + 1
      }
    }
    for (const from of open) {
      const to = lines.length - 1
      const { tests } = namesIn(lines, from, lines.length)
      const unproven = 'pytest started but printed no summary.'
      parts.push({ framework: 'pytest', from, to, passed: 0, failed: tests.count('failed'), skipped: 0, unproven })
    }
    return parts
  },
}

/** Without its header, a run begins at its first test. */
function firstName(lines: readonly string[], after: number, at: number): number {
  const first = below(lines, after, at, RUNNING)
  return first >= 0 ? first : at
}
