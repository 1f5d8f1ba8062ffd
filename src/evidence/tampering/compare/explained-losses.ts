import { type Assertion, canonical, isType } from '../assertions/assertion.ts'
import { type ComparedTest, literalsIn } from './compared-test.ts'
import { bareSubject, canFail, mentions, valuesIn } from './pair-assertions.ts'
import { WORD } from './shared-words.ts'
import { isInverse } from './weaker.ts'

type Pairs = readonly (readonly [Assertion, Assertion])[]

/** The lost assertions that others still cover, or that the new form of the test makes unnecessary. */
export function explainedLosses(
  lost: readonly Assertion[],
  pairs: Pairs,
  before: ComparedTest,
  after: ComparedTest,
  sourceChanged: boolean,
): ReadonlySet<Assertion> {
  const remaining = after.assertions.filter(canFail)
  // Once the opposite is expected, what followed from the old behaviour is obsolete.
  const obsolete = sourceChanged ? followersOfInverse(before, pairs, lost) : new Set<Assertion>()
  return new Set(
    lost.filter(
      (old) =>
        obsolete.has(old) ||
        isRepeated(old, before, lost) ||
        isAlternative(old, pairs) ||
        provesThrown(old, before, after) ||
        isPrecondition(old, before, after) ||
        isCovered(old, remaining, pairs) ||
        needsNoErrorCheck(old, after) ||
        becameRow(old, before, after) ||
        becameLoop(old, pairs, before, after),
    ),
  )
}

/** The lost assertions directly after one whose opposite is expected now. */
function followersOfInverse(
  { assertions }: ComparedTest,
  pairs: Pairs,
  lost: readonly Assertion[],
): ReadonlySet<Assertion> {
  const inverse = new Set(pairs.filter(([old, now]) => canFail(now) && isInverse(old, now)).map(([old]) => old))
  const found = new Set<Assertion>()
  let follows = false
  for (const old of assertions) {
    follows = inverse.has(old) || (follows && lost.some((each) => (each.calledIn ?? each) === old))
    if (follows) for (const each of lost) if ((each.calledIn ?? each) === old) found.add(each)
  }
  return found
}

/** The same assertion is directly before it. */
const isRepeated = (old: Assertion, { assertions }: ComparedTest, lost: readonly Assertion[]) =>
  assertions.some(
    (other) =>
      other !== old && !lost.includes(other) && other.text === old.text && Math.abs(other.span[1] + 1 - old.at) <= 2,
  )

/** The other branch of the same condition asserts the same about the same subject. */
const isAlternative = (old: Assertion, pairs: Pairs) =>
  old.condition !== undefined &&
  pairs.some(
    ([was, now]) =>
      was !== old &&
      was.condition !== undefined &&
      canFail(now) &&
      canonical(was.matcher) === canonical(old.matcher) &&
      subjectName(was) === subjectName(old),
  )

const subjectName = ({ subject }: Assertion) => subject.split(/ (?:!==?|===?|<=?|>=?) /)[0]!

/** A value that the old test only needed for its next steps had to be there. The new test doesn't use it. */
function isPrecondition(old: Assertion, before: ComparedTest, after: ComparedTest): boolean {
  const name = rootOf(old.subject)
  if (name === '' || after.words.has(name) || (old.strength !== 'exists' && !isType(old))) return false
  const own = ` ${old.text} `.split(` ${name} `).length
  return (
    isDeclared(before.text, name) &&
    ` ${before.text} `.split(` ${name} `).length > own + 1 &&
    after.assertions.some(canFail)
  )
}

const isDeclared = (text: string, name: string) => mentions(text, `${name} =`)

/** `assertTrue(threw)` about a flag that a catch block sets became an assertion about the error. */
function provesThrown(old: Assertion, before: ComparedTest, after: ComparedTest): boolean {
  const flag = /^\w+$/.exec(old.subject)?.[0]
  if (flag === undefined || !/true|assert|ok|be/i.test(old.matcher)) return false
  return (
    /\b(?:catch|except|rescue)\b/.test(before.text) &&
    mentions(before.text.replace(/^.*?\b(?:catch|except|rescue)\b/s, ''), `${flag} = true`) &&
    after.assertions.some((now) => canFail(now) && /throw|raise|reject|failure/i.test(now.matcher))
  )
}

/** Several similar assertions became one in a loop or a table. */
function becameLoop(lost: Assertion, pairs: Pairs, before: ComparedTest, after: ComparedTest): boolean {
  const rows = after.test.rows?.length ?? 0
  const table =
    rows > 0 && (before.test.rows === undefined || (rows >= before.test.rows.length && hasRowsOf(before, after)))
  const old = lost.calledIn ?? lost
  return pairs.some(
    ([was, now]) =>
      was !== old &&
      shapeOf(was) === shapeOf(old) &&
      canFail(now) &&
      (table || (now.loops === true && was.loops !== true)),
  )
}

/** The values of the old rows are all in the new ones, which are others. */
function hasRowsOf(before: ComparedTest, after: ComparedTest): boolean {
  const now = new Set((after.test.rows ?? []).flatMap(literalsIn))
  const old = before.test.rows ?? []
  return old.join() !== after.test.rows?.join() && old.flatMap(literalsIn).every((value) => now.has(value))
}

/** An assertion without its values. */
const shapeOf = ({ matcher, helper, subject }: Assertion) =>
  [canonical(matcher), helper ?? bareSubject(subject).replace(/"(?:[^"\\]|\\.)*"|\b\d[\w.]*/g, '_')].join(' ')

/** The values of an assertion became a row in the test's table. */
function becameRow(lost: Assertion, before: ComparedTest, after: ComparedTest): boolean {
  const old = lost.calledIn ?? lost
  const oldRows = new Set(before.test.rows ?? [])
  const wanted = literalsIn(`${old.subject} ${old.expected}`)
  const called = [...old.text.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*) \(/gu)].map((match) => match[1]!)
  if (wanted.length === 0 || !called.some((name) => after.words.has(name))) return false
  return (after.test.rows ?? []).some((row) => {
    const values = oldRows.has(row) ? [] : literalsIn(row)
    return values.length > 0 && wanted.every((value) => values.includes(value))
  })
}

/** "There was no error" is not needed once the code returns no error. */
function needsNoErrorCheck(old: Assertion, after: ComparedTest): boolean {
  const name = /^(\w*err\w*|\w*error)(?: [!=]=+ (?:nil|null|undefined))?$/i.exec(old.subject)?.[1]
  const expectsNoError =
    old.strength === 'exists' ||
    old.matcher === 'guard' ||
    /null|nil|none|undefined|error/i.test(`${old.matcher} ${old.expected}`)
  return name !== undefined && expectsNoError && !after.words.has(name) && !/(?:^|\W)_ (?::=|=)/.test(after.text)
}

/** Another assertion still covers it: one about the complete object, or about the exact value. */
function isCovered(old: Assertion, remaining: readonly Assertion[], pairs: Pairs): boolean {
  const changed = remaining.filter((now) => !pairs.some(([a, b]) => b === now && a.text === now.text))
  const root = rootOf(old.subject)
  if (root === '') return false
  if (old.strength === 'exists')
    return remaining.some((now) => rootOf(now.subject) === root && now.strength !== 'exists')
  return changed.some((now) => {
    const words: readonly string[] = now.scope.match(WORD) ?? []
    if (now.strength === 'exists' || !words.includes(root)) return false
    const isPartOf =
      bareSubject(old.subject).startsWith(bareSubject(now.subject)) &&
      bareSubject(now.subject) !== bareSubject(old.subject) &&
      now.subject !== ''
    const wanted = valuesIn(old.matcher === 'guard' ? old.subject : old.expected).split(',')
    const hasValues = wanted.every((value) => value === '' || now.scope.toLowerCase().includes(value))
    const members = [...old.subject.matchAll(/(?:\.|->|\[) ?"?([\p{L}_]\w*)"?/gu)].map((match) => match[1]!)
    const isInside = ` ${now.subject} `.includes(` ${old.subject} `)
    return (
      (isPartOf || isInside || (members.length > 0 && members.every((member) => now.scope.includes(member)))) &&
      hasValues
    )
  })
}

const rootOf = (subject: string) =>
  /[\p{L}_$][\p{L}\p{N}_$]*/u.exec(
    subject.replace(/^(?:await|len|str|list|sorted|this \.|\$this ->|self \.)\s?\(?\s?/, ''),
  )?.[0] ?? ''
