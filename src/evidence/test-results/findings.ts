import type { UnnamedTests } from '../../../packages/exitgate/src/checks/unnamed-tests.ts'
import type { Config } from '../../core/config.ts'
import type { AcceptedFinding, Answer, Evidence, OpenFinding } from '../../core/types.ts'
import { explains, findingsIn, MISSING, openFinding } from '../accepted-findings.ts'
import { type Allowance, allows } from '../tampering/finding.ts'
import type { TestRound } from './round.ts'

/** How a test of this iteration compares with the baseline. */
export type ResultChange =
  /** It fails and did not fail before. */
  | 'new'
  /** It already failed before the run. */
  | 'known'
  /** It failed before and passes now. */
  | 'fixed'
  /** It gave different results on the same tree. */
  | 'flaky'
  /** It ran before and does not run any more. */
  | 'missing'

export interface ComparedTest {
  readonly name: string
  readonly file?: string
  readonly change: ResultChange
  /** Whether it prevents the tests from passing. */
  readonly blocks: boolean
  /** Short reason, without a full stop. */
  readonly why: string
  /** Who accepted it by its id. */
  readonly acceptance?: Pick<AcceptedFinding, 'by' | 'reason'>
}

/** Why a test that failed before may still fail in one of several tasks. */
export const LEFT = 'failed before the run, left to other tasks'

/** What the user has accepted. */
export interface AcceptedTests {
  /** Tests that may fail, by name. */
  readonly accept: readonly string[]
  /** Every test that already failed in the baseline may fail. */
  readonly acceptFailing: Config['baseline']['acceptFailing']
  /** Findings that the user accepted by their ids. */
  readonly accepted?: readonly AcceptedFinding[]
  /** Changes to tests that the configuration allows: tests of such a file may disappear. */
  readonly allow?: readonly Allowance[]
}

/** What the user accepts when a test does not pass: that it fails, or that it no longer runs. */
export function testFinding({ name, file, change, why }: ComparedTest): OpenFinding {
  const kind = change === 'missing' ? MISSING : 'test-failing'
  const detail = change === 'missing' ? `Test "${name}" no longer runs (${why}).` : `Test "${name}" fails (${why}).`
  return openFinding({ kind, test: name, ...(file === undefined ? {} : { file }), detail }, [])
}

/** The user's acceptance of a test that doesn't pass; undefined if there is none. */
export function allowed(
  test: ComparedTest,
  { accepted = [], allow = [] }: AcceptedTests,
): Pick<ComparedTest, 'why' | 'acceptance'> | undefined {
  const { name, file, change } = test
  if (change === 'flaky') return undefined
  const { key } = testFinding(test)
  // The change in the source that explains it is listed already.
  const cause = accepted.find((each) => change === 'missing' && each.kind !== MISSING && explains(each, name, file))
  if (cause !== undefined) return { why: `accepted by ${cause.by}: ${cause.reason}` }
  const by = accepted.find((each) => each.key === key)
  if (by !== undefined)
    return { why: `accepted by ${by.by}: ${by.reason}`, acceptance: { by: by.by, reason: by.reason } }
  if (change !== 'missing' || file === undefined) return undefined
  const rule = allow.find((each) => ENDS.some((kind) => allows(each, { kind, file })) && each.file !== undefined)
  return rule === undefined ? undefined : { why: `allowed: ${rule.reason}` }
}

const ENDS = ['test-removed', 'test-skipped', 'test-file-deleted']

/** The last run of the tests, compared with the baseline. */
interface Judged {
  readonly round: TestRound
  readonly comparison?: {
    readonly missing: readonly ComparedTest[]
    readonly tests: readonly ComparedTest[]
    readonly unnamed: UnnamedTests
  }
  readonly failing: readonly ComparedTest[]
}

/** What the user can accept: tests that fail, and tests that no longer run. Failing tests are the agent's to fix. */
export function testFindings(
  { failing, comparison, round }: Judged,
  answer: Answer,
): Pick<Evidence, 'findings' | 'accepted' | 'onlyFindings'> {
  const { missing = [], tests = [], unnamed } = comparison ?? {}
  const accepted = tests.flatMap((test) =>
    test.acceptance === undefined ? [] : [{ ...testFinding(test), ...test.acceptance }],
  )
  const others = failing.length + (unnamed?.failing ?? 0) + round.troubles.length
  return {
    ...findingsIn([...missing, ...failing].map(testFinding), accepted),
    ...(answer === 'no' && missing.length > 0 && others === 0 && { onlyFindings: true as const }),
  }
}
