import { type Assertion, isType } from '../assertions/assertion.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import type { ComparedTest } from './compared-test.ts'
import { canFail, mentions, pairAssertions, pairInOrder, type TestContext, valuesIn } from './pair-assertions.ts'
import { sharedWords, WORD } from './shared-words.ts'
import { ANY_ERROR, weakening } from './weaker.ts'

/** How the new version of a test, or of a helper that asserts, checks less than the old one. */
export function weakerAssertion(
  before: ComparedTest,
  after: ComparedTest,
  context: TestContext,
): TamperFinding | undefined {
  const found = pairAssertions(before, after, context)
  const isClear = new Set(found.pairs)
  const { pairs, lost } = pairInOrder(found)
  const owner = `${after.test.kind === 'helper' ? 'Helper' : 'Test'} "${after.test.name}"`
  for (const pair of pairs) {
    const [old, now] = pair
    const loss = weakening(old, now, isClear.has(pair) || sharedWords(old, now) > 0.2)
    if (loss === undefined) continue
    if (loss.what === ANY_ERROR && checksCaptured(now, besides(now, after, context))) continue
    return {
      kind: loss.kind,
      severity: 'block',
      file: after.file.path,
      line: now.line,
      before: short(old.text),
      after: short(now.text),
      detail: `${owner}: ${loss.what}. Restore it.`,
    }
  }
  const added = after.assertions.filter(
    (now) => canFail(now) && !before.assertions.some(({ text }) => text === now.text),
  )
  const missing = lost.filter((old) => !isPrecondition(old, before, after) && !isPartOf(old, added))
  if (missing.length === 0 || checks(after, context.helperAfter) >= checks(before, context.helperBefore))
    return undefined
  return {
    kind: 'assertion-removed',
    severity: 'block',
    file: before.file.path,
    line: missing[0]!.line,
    before: short(missing[0]!.text),
    detail: `${owner}: an assertion was removed. Restore it.`,
  }
}

/** How often a test asserts: once for each row of its table, or for each value in a loop. */
function checks({ assertions, literals, test, file }: ComparedTest, assertionsIn: TestContext['helperAfter']): number {
  const each = assertions.filter(canFail).map(({ helper, loops }) => {
    const inside = helper === undefined ? undefined : assertionsIn(helper, file.path)?.filter(canFail).length
    return Math.max(1, inside ?? 1) * (loops === true ? Math.max(1, literals.size) : 1)
  })
  return each.reduce((sum, one) => sum + one, 0) * Math.max(1, test.rows?.length ?? 1)
}

/** A value that the old test only needed for its next steps had to be there. The new test doesn't use it. */
function isPrecondition(old: Assertion, before: ComparedTest, after: ComparedTest): boolean {
  const name = /[\p{L}_$][\p{L}\p{N}_$]*/u.exec(old.subject)?.[0]
  if (name === undefined || after.words.has(name) || !after.assertions.some(canFail)) return false
  if (/^(?:err\w*|\w*Err(?:or)?)$/.test(name)) return !/(?:^|\W)_ :?=/.test(after.text)
  return (old.strength === 'exists' || old.matcher === 'guard' || isType(old)) && mentions(before.text, `${name} =`)
}

/** A new assertion about the exact value of something contains what the old one asserted of a part. */
const isPartOf = ({ subject, expected, matcher }: Assertion, added: readonly Assertion[]): boolean => {
  const root = /[\p{L}_$][\p{L}\p{N}_$]*/u.exec(subject)?.[0]
  const values = valuesIn(matcher === 'guard' ? subject : expected)
    .split(',')
    .filter((value) => value !== '')
  const members = [...subject.matchAll(/(?:\.|->|\[) ?"?([\p{L}_]\w*)"?/gu)].map(([, member]) => member!)
  return added.some(({ scope, strength, subject: whole }) => {
    const words: readonly string[] = scope.match(WORD) ?? []
    return (
      root !== undefined &&
      (subject.startsWith(whole) || members.every((member) => words.includes(member))) &&
      strength !== 'exists' &&
      words.includes(root) &&
      values.every((value) => scope.toLowerCase().includes(value))
    )
  })
}

/** The assertions around one: those of its test, or of the helper that contains it. */
const besides = ({ calledIn }: Assertion, { file, assertions }: ComparedTest, context: TestContext) =>
  (calledIn?.helper === undefined ? undefined : context.helperAfter(calledIn.helper, file.path)) ?? assertions

/** The error is assigned, and another assertion checks it. */
const checksCaptured = ({ captured = [], text }: Assertion, others: readonly Assertion[]) =>
  others.some((other) => other.text !== text && canFail(other) && captured.some((name) => mentions(other.scope, name)))
