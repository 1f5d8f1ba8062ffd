import { closingLine, number } from '../closing-line.ts'

/** ScalaTest and munit under sbt. */
export const scalatest = closingLine(
  'scalatest',
  ['Tests: succeeded ', 'Passed: Total ', 'Failed: Total ', 'Error: Total '],
  [
    {
      pattern: /^(?:\[\w+\] )?Tests: succeeded (\d+), failed (\d+), canceled (\d+), ignored (\d+), pending (\d+)\s*$/,
      counts: (match) => ({
        passed: number(match[1]),
        failed: number(match[2]),
        skipped: number(match[3]) + number(match[4]) + number(match[5]),
      }),
    },
    {
      pattern:
        /^(?:\[\w+\] )?(Passed|Failed|Error): Total (\d+), Failed (\d+), Errors (\d+), Passed (\d+)(?:, (?:Skipped|Ignored) (\d+))?.*$/,
      counts: (match) => ({
        passed: number(match[5]),
        failed: number(match[3]) + number(match[4]),
        skipped: number(match[6]),
        ...(match[1] !== 'Passed' && { broken: 'The run failed (sbt).' }),
      }),
    },
  ],
)
