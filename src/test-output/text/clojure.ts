import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'

const RAN = /^Ran (\d+) tests? containing \d+ assertions?\.\s*$/
const VERDICT = /^(\d+) failures?, (\d+) errors?\.\s*$/

/** clojure.test counts tests, but failures per assertion: a failed run is known, the number of failed tests is not. */
export const clojure: TextReader = {
  framework: 'clojure.test',
  hints: [' containing '],
  read: (lines) => {
    const parts: Part[] = []
    for (let at = 0; at + 1 < lines.length; at += 1) {
      const ran = RAN.exec(lines[at]!)
      const verdict = ran === null ? null : VERDICT.exec(lines[at + 1]!)
      if (verdict === null) continue
      const total = Number(ran![1])
      const failed = Number(verdict[1]) + Number(verdict[2])
      parts.push({
        framework: 'clojure.test',
        from: at,
        to: at + 1,
        passed: Math.max(0, total - failed),
        failed,
        skipped: 0,
      })
    }
    return parts
  },
}
