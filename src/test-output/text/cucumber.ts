import { closingLine, number } from '../closing-line.ts'
import { tally } from '../scan.ts'

/** Cucumber's many ports, and behave: scenarios are the tests. What is undefined or pending was not proven. */
export const cucumber = closingLine(
  'cucumber',
  [' scenarios ', ' scenario ', ' scenarios passed', ' scenario passed'],
  [
    {
      pattern: /^(\d+) scenarios? \(([^)]*)\)\s*$/,
      counts: (match) => {
        const {
          passed = 0,
          failed = 0,
          ambiguous = 0,
          skipped = 0,
          pending = 0,
          undefined: missing = 0,
        } = tally(match[2]!)
        return { passed, failed: failed + ambiguous + missing, skipped: skipped + pending, total: number(match[1]) }
      },
    },
    {
      pattern: /^(\d+) scenarios? passed, (\d+) failed,(?: (\d+) error,)? (\d+) skipped(?:, (\d+) untested)?\s*$/,
      counts: (match) => ({
        passed: number(match[1]),
        failed: number(match[2]) + number(match[3]),
        skipped: number(match[4]) + number(match[5]),
      }),
    },
  ],
)
