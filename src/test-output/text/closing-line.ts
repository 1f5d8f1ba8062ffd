import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { tally } from '../scan.ts'

type Counts = Pick<Part, 'passed' | 'failed' | 'skipped' | 'total' | 'broken' | 'unproven'>

export interface ClosingLine {
  readonly pattern: RegExp
  readonly counts: (match: RegExpExecArray) => Counts
}

/** A runner whose last line contains everything. */
export function closingLine(framework: string, hints: readonly string[], forms: readonly ClosingLine[]): TextReader {
  return {
    framework,
    hints,
    read: (lines) => {
      const parts: Part[] = []
      for (let at = 0; at < lines.length; at += 1) {
        for (const { pattern, counts } of forms) {
          const match = pattern.exec(lines[at]!)
          if (match === null) continue
          parts.push({ framework, from: at, to: at, ...counts(match) })
          break
        }
      }
      return parts
    },
  }
}

/** From a total and the counts that did not pass. */
export function outOf(total: number, failed: number, skipped: number): Counts {
  return { passed: Math.max(0, total - failed - skipped), failed, skipped, total: Math.max(total, failed + skipped) }
}

export const number = (text: string | undefined): number => Number(text ?? 0)

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

/** Cucumber's many ports, and behave: scenarios are the tests. Undefined and pending ones prove nothing. */
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

const jasmineLine = closingLine(
  'jasmine',
  [' specs, ', ' spec, '],
  [
    {
      pattern: /^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?\s*$/,
      counts: (match) => outOf(number(match[1]), number(match[2]), number(match[3])),
    },
  ],
)

/** A focused run proves nothing about the specs that it left out. */
export const jasmine: TextReader = {
  ...jasmineLine,
  read: (lines) => {
    const focused = lines.some((line) => /^Incomplete: (?:fit|focused|No specs)/.test(line))
    const unproven = 'The run was incomplete (jasmine).'
    return jasmineLine.read(lines).map((part) => (focused ? { ...part, unproven } : part))
  },
}

const ROBOT_COUNTS = /^(\d+) (?:critical )?tests?(?: total)?, (\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/

/** Robot Framework counts every suite; the last line is the total. */
export const robot: TextReader = {
  framework: 'robot',
  hints: [' passed, '],
  read: (lines) => {
    const found: Part[] = []
    for (let at = 0; at < lines.length; at += 1) {
      const counts = ROBOT_COUNTS.exec(lines[at]!)
      if (counts === null) continue
      const [total, passed, failed] = counts.slice(1, 4).map(Number) as [number, number, number]
      found.push({ framework: 'robot', from: at, to: at, passed, failed, skipped: Number(counts[4] ?? 0), total })
    }
    return found.slice(-1)
  },
}

const TESTTHAT_COUNTS = /^\[ FAIL (\d+) \| WARN \d+ \| SKIP (\d+) \| PASS (\d+) \]\s*$/

/** R's testthat repeats its line while it runs; the last one counts. It counts expectations. */
export const testthat: TextReader = {
  framework: 'testthat',
  hints: ['[ FAIL '],
  read: (lines) => {
    const at = lines.findLastIndex((line) => TESTTHAT_COUNTS.test(line))
    if (at < 0) return []
    const [failed, skipped, passed] = TESTTHAT_COUNTS.exec(lines[at]!)!.slice(1).map(Number) as [number, number, number]
    return [{ framework: 'testthat', from: at, to: at, passed, failed, skipped }]
  },
}
