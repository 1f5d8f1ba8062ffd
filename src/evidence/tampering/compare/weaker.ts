import { type Assertion, canonical, isBound, isClose, isType, LEVEL } from '../assertions/assertion.ts'
import { literalness } from '../assertions/forms.ts'

interface Weakening {
  readonly kind: 'assertion-weakened' | 'assertion-vacuous'
  readonly severity: 'block' | 'warn'
  readonly what: string
}

export const cannotFail = (why = 'it asserts nothing') => `an assertion can no longer fail: ${why}`

/** How an assertion is weaker than the one it replaces; undefined if it checks as much. */
export function weakening(before: Assertion, after: Assertion, related = true): Weakening | undefined {
  if (after.lost !== undefined && before.lost === undefined) return vacuous(after.lost)
  if (becameEcho(before, after)) return vacuous('its expected value comes from the code under test')
  if (after.strength === 'vacuous' && before.strength !== 'vacuous') return vacuous(after.why)
  if (before.awaited === true && after.awaited === false && /\. (?:resolves|rejects) \./.test(after.text)) {
    return vacuous('its promise is no longer awaited')
  }
  return becameConditional(before, after) ?? weakerCheck(before, after, related)
}

const vacuous = (why: string | undefined): Weakening => ({
  kind: 'assertion-vacuous',
  severity: 'block',
  what: cannotFail(why),
})

/** A literal expected value is now computed by the code under test. */
const becameEcho = (before: Assertion, after: Assertion) =>
  after.sameExpression === true &&
  before.sameExpression !== true &&
  before.expected !== '' &&
  literalness(before.expected) === 2 &&
  (before.subject === after.subject || after.scope.includes(before.subject))

function becameConditional(before: Assertion, after: Assertion): Weakening | undefined {
  if (after.condition === undefined || before.condition !== undefined) return undefined
  const environment = /process \. env|environ|getenv|\bENV\b|\bCI\b/.test(after.condition)
  return {
    kind: 'assertion-vacuous',
    severity: environment ? 'block' : 'warn',
    what: `an assertion runs only when ${after.condition}`,
  }
}

/** `related`: both check the same thing. Otherwise one replaced the other, and only the weakest forms count. */
function weakerCheck(before: Assertion, after: Assertion, related: boolean): Weakening | undefined {
  if (isOpposite(before, after) || isInverse(before, after) || (noError(before) && noError(after))) return undefined
  const [was, now] = [LEVEL[before.strength], LEVEL[after.strength]]
  if (now < was && now <= LEVEL.exists) {
    return weakened(
      'block',
      after.negated && after.strength === 'exists' && !/null|none|nil|undefined/i.test(after.matcher + after.expected)
        ? 'it accepts every value but one'
        : 'it only checks that a value exists',
    )
  }
  if (!related) return undefined
  const loose = looserBound(before, after)
  if (loose) return loose
  if (now < was) {
    if (isBound(after) && !isBound(before)) return weakened('block', 'it checks a bound instead of a value')
    if (isType(after) && !isType(before)) return weakened('block', 'it checks a type instead of a value')
    if (isClose(after)) return undefined
    if (/^(?:in|oneof|beoneof)$/.test(canonical(after.matcher)) && !after.negated && /^[[({].* , /.test(after.expected))
      return weakened('block', 'it accepts several values instead of one')
    return sameFamily(before, after) ? undefined : weakened('warn', 'it checks only part of the value')
  }
  return moreOpen(before, after)
}

/** The negated assertion is a different expectation, not a weaker one. */
function isOpposite(before: Assertion, after: Assertion): boolean {
  const [was, now] = [canonical(before.matcher), canonical(after.matcher)]
  if (before.expected !== after.expected) return false
  return was === `not${now}` || now === `not${was}` || (before.negated !== after.negated && was === now)
}

/** A name without the words that negate it: `expect_no_offenses` and `expect_offense` are about the same. */
const positive = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .filter((word) => !/^(?:no|not|never|does|do|doesnt|dont|without)$/.test(word))
    .map((word) => word.replace(/s$/, ''))
    .join('')

/** `throws` became `doesNotThrow`, `expect_offense` became `expect_no_offenses`: the behaviour changed to its opposite. */
export function isInverse(before: Assertion, after: Assertion): boolean {
  const [was, now] = [before.helper ?? before.matcher, after.helper ?? after.matcher]
  const ofHelpers = before.helper !== undefined && after.helper !== undefined
  if (was === now || (!ofHelpers && !/throw|raise|reject/i.test(was))) return false
  return positive(was) === positive(now) && NEGATED.test(was) !== NEGATED.test(now)
}

const NEGATED = /(?:^|_|[a-z])(?:no|not|never|without|No|Not|Never|Without)(?:_|[A-Z]|s?$)/

/** "There was no error", as the different libraries write it. */
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

const ANY = 'it accepts any error'
export const ANY_ERROR = `an assertion is weaker: ${ANY}`

const weakened = (severity: 'block' | 'warn', why: string): Weakening => ({
  kind: 'assertion-weakened',
  severity,
  what: `an assertion is weaker: ${why}`,
})

function looserBound(before: Assertion, after: Assertion): Weakening | undefined {
  if (after.tolerance !== undefined && before.tolerance !== undefined) {
    if (after.tolerance >= before.tolerance * 10)
      return weakened('block', `its tolerance rose from ${before.tolerance} to ${after.tolerance}`)
    return after.tolerance > before.tolerance
      ? weakened('warn', `its tolerance rose from ${before.tolerance} to ${after.tolerance}`)
      : undefined
  }
  if (after.tolerance !== undefined && before.strength === 'exact') {
    const value = Math.abs(numberIn(before.expected) ?? 0)
    return value > 0 && after.tolerance >= value * 0.1
      ? weakened('block', `it has a new tolerance of ${after.tolerance}`)
      : undefined
  }
  if (!isBound(before) || !isBound(after) || canonical(before.matcher) !== canonical(after.matcher)) return undefined
  const [was, now] = [numberIn(before.expected), numberIn(after.expected)]
  if (was === undefined || now === undefined || was === now) return undefined
  const upper = /^(?:<|<=|less|below|lt|most|atmost)/.test(canonical(before.matcher)) !== before.negated
  const [from, to] = upper ? [was, now] : [now, was]
  if (to <= from) return undefined
  return weakened(from <= 0 || to / from >= 100 ? 'block' : 'warn', `its bound changed from ${was} to ${now}`)
}

function numberIn(text: string): number | undefined {
  const match = /^[-+ ]*(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)/.exec(text)
  return match ? Number(match[1]!.replaceAll('_', '')) : undefined
}

/** Frameworks have different forms of the same assertion: another form with the same values is not weaker. */
const sameFamily = (before: Assertion, after: Assertion) => before.expected !== '' && before.expected === after.expected

/** `toThrow('message')` lost its message, or a value in `toEqual(x)` became a wildcard. */
function moreOpen(before: Assertion, after: Assertion): Weakening | undefined {
  const throws = /throw|raise|fails|exception/i.test(after.matcher)
  if (throws && canonical(before.matcher) === canonical(after.matcher)) {
    if (before.expected !== '' && after.expected === '') return weakened('block', ANY)
    const root =
      /^<? ?(?:Exception|BaseException|Throwable|Error|StandardError|\\ Exception|\\ Throwable)(?: (?:\. class|:: class))? ?>?(?:\W|$)/
    if (root.test(after.expected) && !root.test(before.expected)) return weakened('block', ANY)
    if (/\bmatch = /.test(before.expected) && !/\bmatch = /.test(after.expected))
      return weakened('warn', 'it no longer checks the message')
  }
  const wild = (text: string) =>
    text.match(/\b(?:anything|any|ANY|IsAny|objectContaining|stringMatching|arrayContaining|instance_of|be_a)\b/g)
      ?.length ?? 0
  return wild(after.expected) > wild(before.expected)
    ? weakened('warn', 'parts of the expected value are wildcards')
    : undefined
}
