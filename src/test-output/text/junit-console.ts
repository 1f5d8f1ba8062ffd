import { count } from '../../../packages/core/src/count.ts'
import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { closingLine, number, outOf } from './closing-line.ts'

const plain = closingLine(
  'junit',
  ['OK (', 'Tests run:', 'Total tests run:'],
  [
    { pattern: /^OK \((\d+) tests?\)\s*$/, counts: (match) => outOf(number(match[1]), 0, 0) },
    {
      pattern: /^Tests run: (\d+),\s+Failures: (\d+)\s*$/,
      counts: (match) => outOf(number(match[1]), number(match[2]), 0),
    },
    {
      pattern: /^\s*Total tests run: (\d+)(?:, Passes: \d+)?, Failures: (\d+), Skips: (\d+)\s*$/,
      counts: (match) => outOf(number(match[1]), number(match[2]), number(match[3])),
    },
  ],
)

const FIELD = /^\[ +(\d+) (tests|containers) (found|skipped|started|aborted|successful|failed) +\]\s*$/

/** JUnit's own console programs and TestNG: old ones end with one line, the newest with a table. */
export const junitConsole: TextReader = {
  framework: 'junit',
  hints: [...plain.hints, ' tests successful '],
  read: (lines) => {
    const parts: Part[] = [...plain.read(lines)]
    let counts: Record<string, number> = {}
    for (let at = 0; at < lines.length; at += 1) {
      const field = FIELD.exec(lines[at]!)
      if (field === null) continue
      counts[`${field[2]} ${field[3]}`] = Number(field[1])
      if (field[2] !== 'tests' || field[3] !== 'failed') continue
      const { 'tests found': found = 0, 'tests skipped': skipped = 0, 'tests aborted': aborted = 0 } = counts
      const unloaded = counts['containers failed'] ?? 0
      parts.push({
        framework: 'junit',
        from: at,
        to: at,
        passed: counts['tests successful'] ?? 0,
        failed: Number(field[1]),
        skipped: skipped + aborted,
        total: found,
        ...(unloaded > 0 && { suitesFailed: unloaded, broken: `${count(unloaded, 'container')} failed (junit).` }),
      })
      counts = {}
    }
    return parts
  },
}
