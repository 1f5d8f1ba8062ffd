import { count } from '../../../packages/core/src/count.ts'
import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests } from '../scan.ts'

const HEADER = /^bun test v\d/
const RAN = /^Ran (\d+) tests? across (\d+) files?\.(?: .*)?$/
const COUNT = /^ *(\d+) (pass|fail|skip|todo|errors?|filtered out)$/
const TEST = /^(?:\((pass|fail|skip|todo)\)|(✓|✗|»|✎)) (.+?)(?: \[\d+(?:\.\d+)?m?s\])?$/
const FILE = /^(\S.*\.(?:test|spec|_test|_spec|test_)?\.?\w+):$/
const STATES: Record<string, TestState> = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
  todo: 'skipped',
  '✓': 'passed',
  '✗': 'failed',
  '»': 'skipped',
  '✎': 'skipped',
}

function namesIn(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  let file: string | undefined
  for (let at = from; at < to; at += 1) {
    const line = lines[at]!
    file = FILE.exec(line)?.[1] ?? file
    const test = TEST.exec(line)
    if (test !== null)
      tests.set(file === undefined ? test[3]! : `${file} > ${test[3]}`, STATES[test[1] ?? test[2]!]!, file)
  }
  return tests
}

/** The counts are above the closing line, one per line. */
function part(lines: readonly string[], from: number, at: number, total: number): Part {
  const counts: Record<string, number> = {}
  for (let line = at - 1; line >= Math.max(from, at - 12); line -= 1) {
    const count = COUNT.exec(lines[line]!)
    if (count !== null) counts[count[2]!.replace('errors', 'error')] ??= Number(count[1])
    else if (lines[line] === '' && 'pass' in counts) break
  }
  const errors = counts.error ?? 0
  return {
    framework: 'bun',
    from,
    to: at,
    passed: counts.pass ?? 0,
    failed: counts.fail ?? 0,
    skipped: (counts.skip ?? 0) + (counts.todo ?? 0),
    total,
    tests: namesIn(lines, from, at).list(),
    ...(errors > 0 && { suitesFailed: errors, broken: `${count(errors, 'error')} outside of the tests (bun).` }),
    ...(!('pass' in counts) &&
      !('fail' in counts) && { unproven: 'The counts above the closing line are missing (bun).' }),
  }
}

export const bun: TextReader = {
  framework: 'bun',
  hints: [' tests across ', ' test across ', 'bun test v'],
  read: (lines) => {
    const parts: Part[] = []
    const open: number[] = []
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      if (HEADER.test(lines[at]!)) open.push(at)
      const ran = RAN.exec(lines[at]!)
      if (ran === null) continue
      parts.push(part(lines, open.pop() ?? firstTest(lines, after, at), at, Number(ran[1])))
      after = at + 1
    }
    for (const from of open) {
      const unproven = 'bun started but printed no summary.'
      parts.push({ framework: 'bun', from, to: lines.length - 1, passed: 0, failed: 0, skipped: 0, unproven })
    }
    return parts
  },
}

function firstTest(lines: readonly string[], after: number, at: number): number {
  for (let line = after; line < at; line += 1) if (/^\((?:pass|fail|skip|todo)\) /.test(lines[line]!)) return line
  return Math.max(after, at - 5)
}
