import { makeRun } from './make-run.ts'
import type { TestOutputReader, TestState } from './types.ts'

const POINT = /^(not )?ok\b(?:[ \t]+(\d+))?(?:[ \t]+-)?[ \t]*(.*)$/
const DIRECTIVE = /(?<!\\)#[ \t]*(skip|todo)\b.*$/i
/** node:test closes with these lines; its spec reporter prints a sign instead of `#`. */
const SUMMARY = /^\S{1,4} (tests|pass|fail|cancelled|skipped|todo) (\d+)$/

type Tally = Record<string, number>

/** Summaries of node:test, added up: a script may run it once per package. */
function nodeSummary(lines: readonly string[]): Tally | undefined {
  const sum: Tally = {}
  for (const line of lines) {
    const match = SUMMARY.exec(line)
    if (match !== null) sum[match[1]!] = (sum[match[1]!] ?? 0) + Number(match[2])
  }
  return sum.tests !== undefined && sum.pass !== undefined && sum.fail !== undefined ? sum : undefined
}

function pointState(failed: boolean, description: string): TestState {
  // A test that is still to be written proves nothing, whichever way it went.
  if (DIRECTIVE.test(description)) return 'skipped'
  return failed ? 'failed' : 'passed'
}

/** TAP, and both printed forms of node:test. Indented points belong to a subtest, whose parent already counts. */
export const tap: TestOutputReader = (output) => {
  const lines = output.split('\n')
  const tests: { name: string; state: TestState }[] = []
  let planned: number | undefined
  let versioned = false
  let bailed = false
  for (const line of lines) {
    const plan = /^1\.\.(\d+)\b/.exec(line)
    if (plan !== null) planned = (planned ?? 0) + Number(plan[1])
    else if (/^TAP version \d+/i.test(line)) versioned = true
    else if (/^Bail out!/.test(line)) bailed = true
    else {
      const point = POINT.exec(line)
      if (point === null) continue
      const name = point[3]!.replace(DIRECTIVE, '').trim()
      tests.push({
        name: name || `test ${point[2] ?? tests.length + 1}`,
        state: pointState(point[1] !== undefined, point[3]!),
      })
    }
  }

  const isTap = planned !== undefined || versioned
  const count = (state: TestState) => (isTap ? tests.filter((test) => test.state === state).length : 0)
  const summary = nodeSummary(lines)
  if (summary !== undefined) {
    return makeRun({
      framework: 'node:test',
      passed: summary.pass!,
      failed: summary.fail! + (summary.cancelled ?? 0),
      skipped: (summary.skipped ?? 0) + (summary.todo ?? 0),
      total: summary.tests!,
      broken: count('failed') > 0 || bailed,
      ...(isTap && { tests }),
    })
  }
  if (!isTap || (planned === undefined && tests.length === 0)) return undefined
  return makeRun({
    framework: 'tap',
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    broken: bailed || (planned !== undefined && planned !== tests.length),
    unfinished: planned === undefined,
    tests,
  })
}
