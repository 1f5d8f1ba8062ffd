import { closingLine, number } from '../closing-line.ts'

/** Lua's busted. */
export const busted = closingLine(
  'busted',
  [' successes / ', ' success / '],
  [
    {
      pattern: /^(\d+) success(?:es)? \/ (\d+) failures? \/ (\d+) errors? \/ (\d+) pending : /,
      counts: (match) => ({
        passed: number(match[1]),
        failed: number(match[2]) + number(match[3]),
        skipped: number(match[4]),
      }),
    },
  ],
)
