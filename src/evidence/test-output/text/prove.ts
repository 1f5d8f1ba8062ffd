import { above } from '../scan.ts'
import type { Part, TextReader } from '../types.ts'

const RESULT = /^Result: (PASS|FAIL|NOTESTS)\s*$/
const FILES = /^Files=(\d+), Tests=(\d+),/

/** Perl's prove: the files are TAP, which it does not show. */
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
      parts.push({
        framework: 'prove',
        from: summary < 0 ? files : summary,
        to: at,
        passed: total - failed,
        failed,
        skipped: 0,
        ...(result[1] === 'FAIL' && { broken: 'The result is FAIL (prove).' }),
      })
    }
    return parts
  },
}
