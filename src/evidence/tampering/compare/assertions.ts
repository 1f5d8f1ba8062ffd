import type { Assertion } from '../assertions/assertion.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { fullName } from '../tests/model.ts'
import type { ComparedTest } from './compared-test.ts'
import { explainedLosses } from './explained-losses.ts'
import {
  type AddedAssertions,
  canFail,
  literalsOf,
  mentions,
  type PairedAssertions,
  pairAssertions,
  pairInOrder,
  type TestContext,
  wasMoved,
  wordsOf,
} from './pair-assertions.ts'
import { sharedWords } from './shared-words.ts'
import { ANY_ERROR, cannotFail, weakening } from './weaker.ts'

/** A test before and after, with the assertions that clearly correspond. */
export interface Comparison extends PairedAssertions {
  readonly before: ComparedTest
  readonly after: ComparedTest
}

export function compareAssertions(before: ComparedTest, after: ComparedTest, context: TestContext): Comparison {
  return { before, after, ...pairAssertions(before, after, context) }
}

/** What a test asserted before and no longer does. */
export function assertionFindings(
  { before, after, ...paired }: Comparison,
  addedElsewhere: AddedAssertions,
  context: TestContext,
): TamperFinding[] {
  const finding = (
    kind: TamperFinding['kind'],
    severity: TamperFinding['severity'],
    old: Assertion,
    now: Assertion | undefined,
    what: string,
  ): TamperFinding => ({
    kind,
    severity,
    file: now ? after.file.path : before.file.path,
    line: now?.line ?? old.line,
    before: short(old.text),
    ...(now && { after: short(now.text) }),
    // A helper is not in the report, and a renamed test has two names there.
    ...(after.test.kind !== 'helper' &&
      fullName(before.test) === fullName(after.test) && { test: fullName(after.test) }),
    detail: `${ownerName(after)}: ${what}.${kind === 'assertion-removed' && severity === 'warn' ? '' : ' Restore it.'}`,
  })
  const notMoved = paired.lost.filter((old) => !wasMoved(old, after, addedElsewhere))
  const { pairs, lost, added } = pairInOrder({ ...paired, lost: notMoved })
  const clearPairs = new Set(paired.pairs)
  const findings = pairs.flatMap((pair): TamperFinding[] => {
    const [old, now] = pair
    const loss = weakening(old, now, clearPairs.has(pair) || sharedWords(old, now) > 0.2)
    if (loss?.what === ANY_ERROR && checksCaptured(now, besides(now, after, context))) return []
    return loss ? [finding(loss.kind, loss.severity, old, now, loss.what)] : []
  })
  const replacements = added.filter((each) => !canFail(each))
  const explained = explainedLosses(lost, pairs, before, after, context.sourceChanged)
  for (const old of lost) {
    if (explained.has(old)) continue
    const reason = context.removedSource.reason(wordsOf(old), literalsOf(old))
    const instead = replacements.shift()
    if (instead)
      findings.push(finding('assertion-vacuous', 'block', old, instead, cannotFail(instead.lost ?? instead.why)))
    else
      findings.push(
        finding(
          'assertion-removed',
          reason === undefined ? 'block' : 'warn',
          old,
          undefined,
          `an assertion was removed${reason === undefined ? '' : `; ${reason}`}`,
        ),
      )
  }
  return findings
}

const ownerName = ({ test }: ComparedTest) => (test.kind === 'helper' ? `Helper "${test.name}"` : `Test "${test.name}"`)

/** The assertions around one: those of its test, or of the helper that contains it. */
const besides = ({ calledIn }: Assertion, { file, assertions }: ComparedTest, context: TestContext) =>
  (calledIn?.helper === undefined ? undefined : context.helperAfter(calledIn.helper, file.path)) ?? assertions

/** The error is assigned, and another assertion checks it. */
const checksCaptured = ({ captured = [], text }: Assertion, others: readonly Assertion[]) =>
  others.some((other) => other.text !== text && canFail(other) && captured.some((name) => mentions(other.scope, name)))
