import { makeRun } from './make-run.ts'
import type { TestOutputReader, TestState } from './types.ts'

/** The last line of a run, with its rulers or (with -q) without: `2 failed, 5 passed, 1 warning in 0.31s (0:00:00)`. */
const SUMMARY = /^(?:=+ )?((?:\d+ [a-z]+(?: [a-z]+)?(?:, |(?= in )))+|no tests ran) in \d+(?:\.\d+)?s(?:econds)?\b.*$/
const WORDS: Record<string, 'passed' | 'failed' | 'skipped'> = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  xfailed: 'skipped',
}
const STATES: Record<string, TestState> = {
  PASSED: 'passed',
  XPASS: 'passed',
  FAILED: 'failed',
  ERROR: 'failed',
  SKIPPED: 'skipped',
  XFAIL: 'skipped',
}
/** `path::test PASSED [ 10%]` while it runs, `FAILED path::test - reason` in the short summary. */
const RUNNING = /^(\S+::.*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/
const SHORT = /^(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S+::.*?)(?: - .*)?$/

export const pytest: TestOutputReader = (output) => {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  const states = new Map<string, TestState>()
  let seen = false
  for (const line of output.split('\n')) {
    const summary = SUMMARY.exec(line)
    if (summary !== null) {
      seen = true
      for (const [, number, word] of summary[1]!.matchAll(/(\d+) ([a-z]+)/g)) {
        const kind = WORDS[word!]
        if (kind !== undefined) sum[kind] += Number(number)
      }
      continue
    }
    const running = RUNNING.exec(line)
    const short = running === null ? SHORT.exec(line) : null
    if (running !== null) states.set(running[1]!, STATES[running[2]!]!)
    else if (short !== null) states.set(short[2]!, STATES[short[1]!]!)
  }
  if (!seen) return undefined
  return makeRun({ framework: 'pytest', ...sum, tests: [...states].map(([name, state]) => ({ name, state })) })
}
