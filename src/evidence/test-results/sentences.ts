import { count } from '../../../packages/core/src/count.ts'
import { commandsExit, isByExitCode } from '../../../packages/exitgate/src/checks/exit-code.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { Evidence } from '../../core/types.ts'
import type { Flake, FlakeRate } from '../flakes.ts'
import { NO_END, type Quarantined } from '../quarantine.ts'
import { type ComparedTest, LEFT } from './findings.ts'

const LONGEST_NAME = 120
/** Only the first failing and missing tests are listed; accepted ones all, within reason. */
const MOST_NAMED = 10
const MOST_ACCEPTED = 50

/** The agent chooses the names of tests, so they are put on one line, without control characters, and cut. */
export function printable(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME - 1)}…` : line
}

function joinLimited<T>(items: readonly T[], word: (item: T) => string, most = MOST_NAMED): string {
  const more = items.length > most ? `; and ${items.length - most} more` : ''
  return items.slice(0, most).map(word).join('; ') + more
}

const withReason = ({ name, why }: ComparedTest) => `"${printable(name)}" (${printable(why)})`

/** One sentence for each group of tests that is not empty. */
export function testSentences(groups: {
  readonly failing: readonly ComparedTest[]
  readonly accepted: readonly ComparedTest[]
  readonly missing: readonly ComparedTest[]
  /** Missing but not required: accepted by the user, or skipped before. */
  readonly dropped: readonly ComparedTest[]
  readonly fixed: readonly ComparedTest[]
}): string[] {
  const { failing, accepted, missing, dropped, fixed } = groups
  return [
    ...(failing.length > 0 ? [`Failing: ${joinLimited(failing, withReason)}.`] : []),
    ...(missing.length > 0 ? [`Missing: ${joinLimited(missing, withReason)}.`] : []),
    ...(accepted.length > 0 ? [`Failing, but accepted: ${joinLimited(accepted, withReason, MOST_ACCEPTED)}.`] : []),
    ...(dropped.length > 0 ? [`Gone, but not required: ${joinLimited(dropped, withReason)}.`] : []),
    ...(fixed.length > 0 ? [`Fixed: ${joinLimited(fixed, ({ name }) => `"${printable(name)}"`)}.`] : []),
  ]
}

const MOST_KEPT = 50

/** The names of the tests in each group, for comparison with later runs. */
export function namedTests(
  failing: readonly ComparedTest[],
  fixed: readonly ComparedTest[] = [],
  accepted: readonly ComparedTest[] = [],
  unsteady: readonly ComparedTest[] = [],
): Evidence['named'] {
  if (failing.length + fixed.length + accepted.length + unsteady.length === 0) return undefined
  const left = accepted.filter(({ why }) => why === LEFT)
  const names = (tests: readonly ComparedTest[]) => tests.slice(0, MOST_KEPT).map(({ name }) => printable(name))
  return {
    failing: names(failing),
    fixed: names(fixed),
    ...(accepted.length > 0 && { accepted: names(accepted) }),
    ...(left.length > 0 && { left: names(left) }),
    ...(unsteady.length > 0 && { unsteady: names(unsteady) }),
  }
}

export function countsSentence(run: TestRun, runs: number): string {
  const { passed, failed, skipped, total } = run
  if (isByExitCode(run)) return `${commandsExit(total, failed)}${runs > 1 ? ` (last of ${runs} runs)` : ''}.`
  const result =
    failed > 0
      ? `${failed} of ${count(total, 'test')} ${total === 1 ? 'fails' : 'fail'}`
      : `${passed} of ${count(total, 'test')} ${total === 1 ? 'passes' : 'pass'}`
  const rest = skipped > 0 ? `, ${skipped} skipped` : ''
  return `${result}${rest}${runs > 1 ? ` (last of ${runs} runs)` : ''}.`
}

export function flakeSentence(flakes: readonly Flake[], rateOf: (name: string) => FlakeRate | undefined): string {
  const word = ({ name, states }: Flake) => {
    const rate = rateOf(name)
    const before =
      rate === undefined ? '' : `; it flaked ${count(rate.flaked, 'time')} in ${count(rate.runs, 'earlier run')}`
    return `"${printable(name)}" (${states.join(', then ')}${before})`
  }
  return `Different results for the same code: ${joinLimited(flakes, word)}.`
}

/** Tests that were unsteady before the run, and fail or change their result now. */
export function unsteadySentences(
  failing: readonly ComparedTest[],
  touched: readonly { readonly name: string; readonly entry: Quarantined }[],
): string[] {
  const names = new Set(failing.map(({ name }) => name))
  const others = touched.filter(({ name }) => !names.has(name))
  return [
    ...(failing.length > 0 ? [`Failing, but not counted: ${joinLimited(failing, withReason, MOST_ACCEPTED)}.`] : []),
    ...others.map(({ name, entry }) => `Not counted: "${printable(name)}" (${entry.reason}).`),
  ]
}

export const quarantineSentences = (
  held: readonly { readonly name: string; readonly entry: Quarantined }[],
  expired: readonly { readonly name: string; readonly entry: Quarantined }[],
): string[] => [
  ...held.map(
    ({ name, entry: { until, reason } }) =>
      `In quarantine${until === NO_END ? '' : ` until ${until}`}: "${printable(name)}" (${printable(reason)}).`,
  ),
  ...expired.map(({ name, entry }) => `The quarantine of "${printable(name)}" ended on ${entry.until}.`),
]

export const listPaths = (paths: readonly string[]): string => joinLimited(paths, printable, 5)
