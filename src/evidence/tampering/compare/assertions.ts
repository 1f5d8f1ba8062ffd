import { type Assertion, canonical, isBound, isClose, isType, LEVEL } from '../assertions/assertion.ts'
import { writtenOut } from '../assertions/forms.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { closeness } from './closeness.ts'
import type { ComparedTest } from './compared-test.ts'
import {
  type AddedAssertions,
  becameLoop,
  becameRow,
  canFail,
  isCovered,
  literalsOf,
  lostItsError,
  type PairedAssertions,
  pairAssertions,
  pairInOrder,
  type TestContext,
  wasMoved,
  wordsOf,
} from './pair-assertions.ts'

/** A test before and after, with those of its assertions that plainly correspond. */
export interface Comparison extends PairedAssertions {
  readonly before: ComparedTest
  readonly after: ComparedTest
}

export function compareAssertions(before: ComparedTest, after: ComparedTest, context: TestContext): Comparison {
  return { before, after, ...pairAssertions(before, after, context) }
}

/** What tests asserted before and do not any more. */
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
    why: string,
  ): TamperFinding => ({
    kind,
    severity,
    file: now ? after.file.path : before.file.path,
    line: now?.line ?? old.line,
    before: short(old.text),
    ...(now && { after: short(now.text) }),
    detail: `${where(after)}: ${why}.`,
  })
  const stays = paired.lost.filter((old) => !wasMoved(old, after, addedElsewhere))
  const { pairs, lost, added } = pairInOrder({ ...paired, lost: stays })
  const tight = new Set(paired.pairs)
  const findings = pairs.flatMap((pair): TamperFinding[] => {
    const [old, now] = pair
    const loss = weakening(old, now, tight.has(pair) || closeness(old, now) > 0.2)
    return loss ? [finding(loss.kind, loss.severity, old, now, loss.why)] : []
  })
  const remaining = after.assertions.filter(canFail)
  const vacuous = added.filter((each) => !canFail(each))
  for (const old of lost) {
    if (
      isCovered(old, remaining, pairs) ||
      lostItsError(old, after) ||
      becameRow(old, before, after) ||
      becameLoop(old, pairs, before, after)
    )
      continue
    const reason = context.removedSource.reason(wordsOf(old), literalsOf(old))
    const instead = vacuous.shift()
    if (instead)
      findings.push(
        finding('assertion-vacuous', 'block', old, instead, instead.lost ?? instead.why ?? 'it cannot fail'),
      )
    else
      findings.push(
        finding(
          'assertion-removed',
          reason === undefined ? 'block' : 'warn',
          old,
          undefined,
          reason === undefined ? 'this is not asserted any more' : `this is not asserted any more; ${reason}`,
        ),
      )
  }
  return findings
}

const where = ({ test }: ComparedTest) =>
  test.kind === 'helper' ? `In the helper "${test.name}"` : `In the test "${test.name}"`

interface Weakening {
  readonly kind: 'assertion-weakened' | 'assertion-vacuous'
  readonly severity: 'block' | 'warn'
  readonly why: string
}

/** What an assertion lost on the way to the one that took its place; undefined when it asks for as much. */
function weakening(before: Assertion, after: Assertion, related = true): Weakening | undefined {
  if (after.lost !== undefined && before.lost === undefined)
    return { kind: 'assertion-vacuous', severity: 'block', why: after.lost }
  if (becameEcho(before, after))
    return { kind: 'assertion-vacuous', severity: 'block', why: 'what is expected is computed by the code under test' }
  if (after.strength === 'vacuous' && before.strength !== 'vacuous')
    return { kind: 'assertion-vacuous', severity: 'block', why: after.why ?? 'it cannot fail' }
  if (before.awaited === true && after.awaited === false && /\. (?:resolves|rejects) \./.test(after.text)) {
    return { kind: 'assertion-vacuous', severity: 'block', why: 'nobody waits for it any more' }
  }
  return becameConditional(before, after) ?? weakerQuestion(before, after, related)
}

/** A value that was written out is now what the code itself gives. */
const becameEcho = (before: Assertion, after: Assertion) =>
  after.echoes === true &&
  before.echoes !== true &&
  before.expected !== '' &&
  writtenOut(before.expected) === 2 &&
  (before.subject === after.subject || after.scope.includes(before.subject))

function becameConditional(before: Assertion, after: Assertion): Weakening | undefined {
  if (after.condition === undefined || before.condition !== undefined) return undefined
  const surroundings = /process \. env|environ|getenv|\bENV\b|\bCI\b/.test(after.condition)
  return {
    kind: 'assertion-vacuous',
    severity: surroundings ? 'block' : 'warn',
    why: `it runs only when ${after.condition}`,
  }
}

/** `related`: both speak of the same thing. Otherwise one took the other's place, and only the weakest forms count. */
function weakerQuestion(before: Assertion, after: Assertion, related: boolean): Weakening | undefined {
  if (isOpposite(before, after) || (noError(before) && noError(after))) return undefined
  const [was, now] = [LEVEL[before.strength], LEVEL[after.strength]]
  if (now < was && now <= LEVEL.exists) {
    return weakened(
      'block',
      after.negated && after.strength === 'exists' && !/null|none|nil|undefined/i.test(after.matcher + after.expected)
        ? 'all values but one pass now'
        : 'it asks only that something is there',
    )
  }
  if (!related) return undefined
  const loose = looserBound(before, after)
  if (loose) return loose
  if (now < was) {
    if (isBound(after) && !isBound(before)) return weakened('block', 'a value became a bound')
    if (isType(after) && !isType(before)) return weakened('block', 'a value became a type')
    if (isClose(after)) return undefined
    if (/^(?:in|oneof|beoneof)$/.test(canonical(after.matcher)) && !after.negated && /^[[({].* , /.test(after.expected))
      return weakened('block', 'one of several values passes now')
    return sameFamily(before, after) ? undefined : weakened('warn', 'it asks for a part of what it asked for')
  }
  return openedUp(before, after)
}

/** The same question with the other answer is another expectation, not a weaker one. */
function isOpposite(before: Assertion, after: Assertion): boolean {
  const [was, now] = [canonical(before.matcher), canonical(after.matcher)]
  if (before.expected !== after.expected) return false
  return was === `not${now}` || now === `not${was}` || (before.negated !== after.negated && was === now)
}

/** "There was no error", in the words of the different libraries. */
function noError({ matcher, subject, expected, negated }: Assertion): boolean {
  if (/^(?:doesnotreject|doesnotthrow|resolves|notthrow\w*|nothrow\w*)$/.test(canonical(matcher)) && !negated)
    return true
  if (!/err|error|^e$/i.test(subject)) return false
  if (/^(?:nil|null|None|undefined)$/.test(expected) && !negated) return true
  if (matcher === 'guard') return /!=|is not/.test(subject)
  const name = canonical(matcher)
  if (negated) return /^(?:exists?|ok|truthy)$/.test(name)
  return /^(?:noerror|iferror|error|nil|null|none|undefined|notok|falsy|succeeds|nothrow\w*)$/.test(name)
}

const weakened = (severity: 'block' | 'warn', why: string): Weakening => ({ kind: 'assertion-weakened', severity, why })

function looserBound(before: Assertion, after: Assertion): Weakening | undefined {
  if (after.tolerance !== undefined && before.tolerance !== undefined) {
    if (after.tolerance >= before.tolerance * 10)
      return weakened('block', `its tolerance went from ${before.tolerance} to ${after.tolerance}`)
    return after.tolerance > before.tolerance
      ? weakened('warn', `its tolerance went from ${before.tolerance} to ${after.tolerance}`)
      : undefined
  }
  if (after.tolerance !== undefined && before.strength === 'exact') {
    const value = Math.abs(numberIn(before.expected) ?? 0)
    return value > 0 && after.tolerance >= value * 0.1
      ? weakened('block', `a tolerance of ${after.tolerance} was added`)
      : undefined
  }
  if (!isBound(before) || !isBound(after) || canonical(before.matcher) !== canonical(after.matcher)) return undefined
  const [was, now] = [numberIn(before.expected), numberIn(after.expected)]
  if (was === undefined || now === undefined || was === now) return undefined
  const upper = /^(?:<|<=|less|below|lt|most|atmost)/.test(canonical(before.matcher)) !== before.negated
  const [from, to] = upper ? [was, now] : [now, was]
  if (to <= from) return undefined
  return weakened(from <= 0 || to / from >= 100 ? 'block' : 'warn', `its bound went from ${was} to ${now}`)
}

function numberIn(text: string): number | undefined {
  const match = /^[-+ ]*(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)/.exec(text)
  return match ? Number(match[1]!.replaceAll('_', '')) : undefined
}

/** Frameworks write the same question in different ways: a changed form with the same values is not weaker. */
const sameFamily = (before: Assertion, after: Assertion) => before.expected !== '' && before.expected === after.expected

/** `toThrow('message')` without the message, `toEqual(x)` where x became a wildcard. */
function openedUp(before: Assertion, after: Assertion): Weakening | undefined {
  const throws = /throw|raise|fails|exception/i.test(after.matcher)
  if (throws && canonical(before.matcher) === canonical(after.matcher)) {
    if (before.expected !== '' && after.expected === '') return weakened('block', 'any error passes now')
    const root =
      /^<? ?(?:Exception|BaseException|Throwable|Error|StandardError|\\ Exception|\\ Throwable)(?: (?:\. class|:: class))? ?>?(?:\W|$)/
    if (root.test(after.expected) && !root.test(before.expected)) return weakened('block', 'any error passes now')
    if (/\bmatch = /.test(before.expected) && !/\bmatch = /.test(after.expected))
      return weakened('warn', 'the message is not looked at any more')
  }
  const wild = (text: string) =>
    text.match(/\b(?:anything|any|ANY|IsAny|objectContaining|stringMatching|arrayContaining|instance_of|be_a)\b/g)
      ?.length ?? 0
  return wild(after.expected) > wild(before.expected)
    ? weakened('warn', 'parts of the expected value are left open')
    : undefined
}
