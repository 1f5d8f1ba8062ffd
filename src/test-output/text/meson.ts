import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests } from '../scan.ts'

const LINE =
  /^ *\d+\/\d+ (\S.*?) +(OK|FAIL|ERROR|TIMEOUT|INTERRUPT|SKIP|EXPECTEDFAIL|UNEXPECTEDPASS) +\d+(?:\.\d+)? ?s\b/
const COUNT = /^(Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout): +(\d+) *$/
const PASSED = new Set(['OK'])
const ASIDE = new Set(['SKIP', 'EXPECTEDFAIL'])

const stateOf = (result: string): TestState =>
  PASSED.has(result) ? 'passed' : ASIDE.has(result) ? 'skipped' : 'failed'

/** Meson counts programs, and prints one count per line at the end. */
export const meson: TextReader = {
  framework: 'meson',
  hints: ['Ok:  '],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    let tests = new Tests()
    for (let at = 0; at < lines.length; at += 1) {
      const test = LINE.exec(lines[at]!)
      if (test !== null) {
        if (first < 0) first = at
        tests.set(test[1]!, stateOf(test[2]!))
      }
      if (COUNT.exec(lines[at]!)?.[1] !== 'Ok') continue
      const counts = new Map<string, number>()
      let to = at
      for (let next = at; next < lines.length; next += 1) {
        const count = COUNT.exec(lines[next]!)
        if (count === null || counts.has(count[1]!)) break
        counts.set(count[1]!, Number(count[2]))
        to = next
      }
      // Another program may print `Ok: 3`.
      if (!counts.has('Fail')) continue
      const sum = (...names: readonly string[]) => names.reduce((all, name) => all + (counts.get(name) ?? 0), 0)
      parts.push({
        framework: 'meson',
        from: first < 0 ? at : first,
        to,
        passed: sum('Ok'),
        failed: sum('Fail', 'Unexpected Pass', 'Timeout'),
        skipped: sum('Skipped', 'Expected Fail'),
        tests: tests.list(),
      })
      first = -1
      tests = new Tests()
      at = to
    }
    return parts
  },
}
