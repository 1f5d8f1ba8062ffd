import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { above } from '../scan.ts'

const RESULT = /^Result: (PASS|FAIL|NOTESTS)\s*$/
const FILES = /^Files=(\d+), Tests=(\d+),/

/** With -v it shows the TAP of its files, each after a line with its name. */
const HEADED = /^\S+\.t \.{2,}\s*$/
const PLAN = /^1\.\.\d+/

/** Perl's prove: the files print TAP, which it shows only with -v; then the points are counted there. */
export const prove: TextReader = {
  framework: 'prove',
  hints: ['Result: '],
  read: (lines) => {
    const parts: Part[] = []
    for (let at = 0; at < lines.length; at += 1) {
      const result = RESULT.exec(lines[at]!)
      const files = above(lines, at, at - 5, FILES)
      if (result === null || files < 0) continue
      const total = Number(FILES.exec(lines[files]!)![2])
      const summary = above(lines, files, 0, /^Test Summary Report$/)
      const failing =
        summary < 0
          ? []
          : lines.slice(summary, files).map((line) => /\(Wstat: .* Tests: \d+ Failed: (\d+)\)/.exec(line)?.[1])
      const failed = Math.min(
        total,
        failing.reduce((sum, number) => sum + Number(number ?? 0), 0),
      )
      const shown = above(lines, files, 0, HEADED) >= 0 && above(lines, files, 0, PLAN) >= 0
      parts.push({
        framework: 'prove',
        ...(shown && { wrapper: true }),
        from: summary < 0 ? files : summary,
        to: at,
        passed: shown ? 0 : total - failed,
        failed: shown ? 0 : failed,
        skipped: 0,
        ...(result[1] === 'FAIL' && { broken: 'The result is FAIL (prove).' }),
      })
    }
    return parts
  },
}
