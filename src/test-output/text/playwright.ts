import { count } from '../../../packages/core/src/count.ts'
import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests } from '../scan.ts'

const HEADER = /^\s*Running (\d+) tests? using (\d+) workers?/
const COUNT =
  /^ {2}(\d+) (failed|interrupted|flaky|skipped|did not run|passed)(?: \(\d+(?:\.\d+)?\s?(?:ms|s|m|h)\))?\s*$/
const OUTSIDE = /^ {2}(\d+) errors? (?:was|were) not a part of any test/
const LISTED = /^ {4}(\S.*?)(?: [─-]{2,}.*)?\s*$/
const LINE = /^\s*(✓|✔|ok|✘|✖|x|-)\s+\d+ (.+? › .+?)(?: \((?:retry #\d+|\d+(?:\.\d+)?(?:ms|s|m))\))*\s*$/
const STATES: Record<string, TestState> = {
  '✓': 'passed',
  '✔': 'passed',
  ok: 'passed',
  '✘': 'failed',
  '✖': 'failed',
  x: 'failed',
  '-': 'skipped',
}
const NONE = /^Error: No tests found/

/** `[chromium] › file.spec.ts:3:1 › group › name`: the position in the file is not part of the name. */
function nameOf(text: string): { name: string; file: string | undefined } {
  const steps = text.split(' › ').map((step) => step.trim())
  const at = steps.findIndex((step) => /:\d+(?::\d+)?$/.test(step))
  const file = at < 0 ? undefined : steps[at]!.replace(/:\d+(?::\d+)?$/, '')
  if (file !== undefined) steps[at] = file
  return { name: steps.join(' > '), file }
}

function namesIn(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  let failing = false
  for (let at = from; at <= to; at += 1) {
    const count = COUNT.exec(lines[at]!)
    if (count !== null) failing = count[2] === 'failed'
    const listed = failing ? LISTED.exec(lines[at]!) : null
    const line = listed === null ? LINE.exec(lines[at]!) : null
    const text = listed?.[1] ?? line?.[2]
    if (text === undefined) continue
    const { name, file } = nameOf(text)
    tests.set(name, listed !== null ? 'failed' : STATES[line![1]!]!, file)
  }
  return tests
}

/** The closing counts are one per line, with the names of the tests between them. */
function summary(lines: readonly string[], from: number, total: number, end: number): Part {
  const counts: Record<string, number> = {}
  let to = from
  let outside = 0
  for (let at = from; at < end; at += 1) {
    const count = COUNT.exec(lines[at]!)
    if (count !== null) counts[count[2]!] = Number(count[1])
    const errors = OUTSIDE.exec(lines[at]!)
    if (errors !== null) outside += Number(errors[1])
    if (count !== null || errors !== null) to = at
  }
  const { passed = 0, failed = 0, interrupted = 0, flaky = 0, skipped = 0, 'did not run': notRun = 0 } = counts
  const broken = outside > 0 ? `${count(outside, 'error')} outside of any test (playwright).` : undefined
  const none = Object.keys(counts).length === 0
  return {
    framework: 'playwright',
    from,
    to: none ? end - 1 : to,
    passed: passed + flaky,
    failed: failed + interrupted,
    skipped: skipped + notRun,
    ...(!none && { total: Math.max(total, passed + flaky + failed + interrupted + skipped + notRun) }),
    tests: namesIn(lines, from, to).list(),
    ...(broken !== undefined && { broken }),
    ...(none && { unproven: 'playwright started but printed no summary.' }),
  }
}

export const playwright: TextReader = {
  framework: 'playwright',
  hints: ['Running ', 'Error: No tests found'],
  read: (lines) => {
    const heads: { at: number; total: number }[] = []
    const parts: Part[] = []
    for (let at = 0; at < lines.length; at += 1) {
      const header = HEADER.exec(lines[at]!)
      if (header !== null) heads.push({ at, total: Number(header[1]) })
      else if (NONE.test(lines[at]!)) {
        parts.push({ framework: 'playwright', from: at, to: at, passed: 0, failed: 0, skipped: 0 })
      }
    }
    heads.forEach(({ at, total }, index) => {
      parts.push(summary(lines, at, total, heads[index + 1]?.at ?? lines.length))
    })
    return parts
  },
}
