import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests } from '../scan.ts'

/** The closing lines of node:test. They start with `#` or a small i, in whatever encoding it survived. */
const SUMMARY = /^\S{1,4} (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+(?:\.\d+)?|\*)$/
const NEEDED = ['tests', 'pass', 'fail'] as const
/** `✔ name (1.5ms)`; a group has `▶`. Symbol and indent show where a test belongs. */
const SPEC = /^( *)(✔|✓|√|✖|✗|X|﹣|-|▶) (.+?)(?: \(\d+(?:\.\d+)?ms\))?(?: # (SKIP|TODO)\b.*)?$/
const STATES: Record<string, TestState> = {
  '✔': 'passed',
  '✓': 'passed',
  '√': 'passed',
  '✖': 'failed',
  '✗': 'failed',
  X: 'failed',
  '﹣': 'skipped',
}
const POINT = /^( *)(not )?ok \d+ - (.*?)(?: # (SKIP|TODO)\b.*)?$/i
const SUBTEST = /^( *)# Subtest: (.*)$/
const FAILURES = /^✖ failing tests:|^\S{1,3} failing tests:/

/** Names from the spec form: groups open with `▶` and close with a second line of the same title. */
function specNames(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  const groups: { indent: number; title: string }[] = []
  for (let at = from; at < to; at += 1) {
    if (FAILURES.test(lines[at]!)) break
    const match = SPEC.exec(lines[at]!)
    if (match === null) continue
    const [, space, sign, title, directive] = match
    const indent = space!.length
    while (groups.length > 0 && groups[groups.length - 1]!.indent > indent) groups.pop()
    const top = groups[groups.length - 1]
    if (top !== undefined && top.indent === indent) {
      groups.pop()
      if (top.title === title) continue
    }
    if (sign === '▶') {
      groups.push({ indent, title: title! })
      continue
    }
    const state = directive === undefined ? STATES[sign!] : 'skipped'
    if (state !== undefined) tests.set([...groups.map((group) => group.title), title!].join(' > '), state)
  }
  return tests
}

/** Names from the TAP form: a point closes the subtest that was announced at the same indent. */
function tapNames(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  const open: { indent: number; title: string; parent: boolean }[] = []
  for (let at = from; at < to; at += 1) {
    const subtest = SUBTEST.exec(lines[at]!)
    if (subtest !== null) {
      for (const one of open) one.parent = true
      open.push({ indent: subtest[1]!.length, title: subtest[2]!, parent: false })
      continue
    }
    const point = POINT.exec(lines[at]!)
    if (point === null) continue
    const indent = point[1]!.length
    while (open.length > 0 && open[open.length - 1]!.indent > indent) open.pop()
    const own = open[open.length - 1]
    const announced = own !== undefined && own.indent === indent
    if (announced) open.pop()
    if (announced && own.parent) continue
    const state: TestState = point[4] !== undefined ? 'skipped' : point[2] === undefined ? 'passed' : 'failed'
    tests.set([...open.map((one) => one.title), point[3]!].join(' > ').replaceAll('\\#', '#'), state)
  }
  return tests
}

function part(lines: readonly string[], from: number, start: number, to: number, counts: Record<string, number>): Part {
  const isTap = lines[start]!.startsWith('#')
  const tests = isTap ? tapNames(lines, from, start) : specNames(lines, from, start)
  const { tests: total = 0, pass = 0, fail = 0, cancelled = 0, skipped = 0, todo = 0 } = counts
  const seen = lines.slice(from, start).some((line) => /^not ok \d+(?!.*# TODO)/.test(line))
  return {
    framework: 'node:test',
    from,
    to,
    passed: pass,
    failed: fail + cancelled,
    skipped: skipped + todo,
    total,
    tests: tests.list(),
    ...(isTap &&
      seen &&
      fail + cancelled === 0 && { broken: 'A test point is not ok, but none is counted as failed (node:test).' }),
  }
}

const FIRST = /^(?:TAP version \d+|# Subtest: |[✔✖▶﹣] )/

export const nodeTest: TextReader = {
  framework: 'node:test',
  hints: [' pass '],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    for (let at = 0; at < lines.length; at += 1) {
      if (first < 0 && FIRST.test(lines[at]!)) first = at
      if (SUMMARY.exec(lines[at]!)?.[1] !== 'tests') continue
      const counts: Record<string, number> = {}
      let to = at
      for (let next = at; next < Math.min(lines.length, at + 9); next += 1) {
        const match = SUMMARY.exec(lines[next]!)
        if (match === null || match[1]! in counts) break
        counts[match[1]!] = Number(match[2]!.replace('*', '0'))
        to = next
      }
      if (!NEEDED.every((word) => word in counts)) continue
      parts.push(part(lines, first >= 0 && first < at ? first : at, at, to, counts))
      at = to
      first = -1
    }
    return parts
  },
}
