import type { Language } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Range } from '../source/tokens-and-blocks.ts'

/** How much an assertion checks: an exact value, part of it or a bound, only that a value exists, or nothing. */
type Strength = 'exact' | 'partial' | 'exists' | 'vacuous'
export const LEVEL: Readonly<Record<Strength, number>> = { exact: 3, partial: 2, exists: 1, vacuous: 0 }

/** An assertion as found in the text, before it is rated. */
export interface RawAssertion {
  /** Name of the matcher or method as written; `==` and the like for bare comparisons, `guard` for a conditional failure. */
  readonly matcher: string
  readonly subject: string
  readonly expected: string
  readonly negated: boolean
  readonly at: number
  readonly span: Range
  /** Name of the called function, if its name sounds like an assertion. What it asserts is defined there. */
  readonly helper?: string
  /** That function is the complete test, so it must be found. */
  readonly macro?: boolean
  readonly awaited?: boolean
  /** Why it can never fail, if its form alone shows that. */
  readonly neverFails?: string
}

export interface Assertion extends RawAssertion {
  readonly line: number
  readonly text: string
  readonly strength: Strength
  /**
   * Both sides come from the same expression: a test that two calls agree, or an expected value computed by the code under test.
   */
  readonly sameExpression?: boolean
  /** Why it is vacuous. */
  readonly why?: string
  /** Why it doesn't run, or why its failure is lost. */
  readonly lost?: string
  /** Runs once for each of several values. */
  readonly loops?: boolean
  /** Runs only when this is true. */
  readonly condition?: string
  /** The assertion's text, followed by the values of the test's own variables in it. */
  readonly scope: string
  /** How far a value may be off; larger is weaker. */
  readonly tolerance?: number
  /** Variables that receive its result, such as the error it expects. */
  readonly captured?: readonly string[]
  /** The call of the helper that contains this assertion. */
  readonly calledIn?: Assertion
}

/** A matcher's name without its prefixes: `assertNotNull`, `toBeNull`, `be_nil` become `notnull`, `null`, `nil`. */
export function canonical(matcher: string): string {
  let name = matcher.replaceAll('_', '').toLowerCase()
  for (let before = ''; before !== name; ) {
    before = name
    name = name.replace(
      /^(?:assert|refute|should|must|wont|to(?!uch)|is(?!ok|some|err|instance|a$)|be(?!tween|en)|has|have|expect|are|been)(?=.)/,
      '',
    )
  }
  name = name.replace(/^not(?:to)?(?:have)?be(?:en)?(?=[a-z])/, 'not')
  return name === 'to' || name === 'is' || name === 'be' ? 'equal' : name
}

const EXISTS =
  /^(?:not)?(?:defined|exists?|present|truthy|ok|anything|some|isok|issome|noerror|nothrow\w*|notthrow\w*|doesnotthrow\w*|notraise\w*|completes|success|visible|attached|inthedocument|called|iferror)$|^not(?:null|none|nil|undefined|empty|zero|blank)(?:orempty|orwhitespace|value)?$|^(?:nothing|any|blankslate)$/
const TYPE =
  /^(?:instanceof\w*|instance|isinstance|isa|a|an|type\w*|oftype|kindof|assignableto|assignablefrom|istype|implements|array|object|string|number|function|callable|iterable|numeric|int|bool|float|scalar|resource|typeof)$/
/** What is compared is only the kind of a value. */
const OF_A_TYPE = /^(?:typeof |type \( (?!.* \) .)|.* \. (?:class|constructor|GetType \( \)|getClass \( \))$)/
const BOUND =
  /^(?:<|>|<=|>=|(?:not)?(?:greater|less|above|below|gt|gte|lt|lte|least|most|atleast|atmost|positive|negative|before|after|between|within|inrange|strictlybetween)\w*)$/
const CLOSE =
  /^(?:close\w*|almost\w*|approx\w*|indelta\w*|inepsilon\w*|withindelta|equalswithdelta|allclose|arrayalmostequal|approximately|bewithin|within|withinduration|rtol)$/
const PART =
  /^(?:in|notin|=~|(?:not|doesnot)?(?:contain|include|match)\w*|regex\w*|regexp\w*|startwith|startswith|endwith|endswith|subset\w*|superset\w*|subsetof|hasitem\w*|item\w*|property|key|keys|field|likes?|matchobject|matcharray|objectcontaining|stringcontainsstring|doesnotcontain\w*|elements?match|oneof|member\w*|attributes?|jsonstructure|jsonfragment|see|dontsee|error|errors?|throws?|thrown?|raises?|raiseerror|errorcontains|panics?)\w*$/
/** What tsd says about types is as exact as a value. */
const TYPE_TEST = /^expect(?:Type|Error)$/
const TRUTH = /^(?:assert|true|false|condition|that|should|notok|falsy|falsey)$/
/** An expression that returns true or false about a value. */
const PREDICATE =
  /^(?:\w+ \. )*(?:all|any|isinstance|issubclass|hasattr|callable|math|bool)\b|\b(?:is|has|have|can|should|are|contains?|includes?|starts_?with|ends_?with|matches|equals|every|some|exists|all|any|eq|valid|empty)[A-Z_]?\w*[?!]? ?\(|\?(?: |$)|\b(?:startswith|endswith|isdigit|isalpha|is_\w+|has_\w+|matches !)|\b[A-Z]\w* :: [a-z]\w* \( \$/

/** How much a matcher checks by itself. Whether its values make it vacuous is decided elsewhere. */
export function strengthOf(raw: RawAssertion, language: Language): Strength {
  const name = canonical(raw.matcher)
  if (raw.helper !== undefined || TYPE_TEST.test(raw.matcher)) return 'exact'
  if (raw.matcher === 'guard') return guardStrength(raw.subject)
  if (name === 'nothing') return 'vacuous'
  if (/snapshot/.test(name)) return 'exact'
  if (TRUTH.test(name)) return truth(raw, name, language)
  if (isNull(raw.expected) && raw.negated) return 'exists'
  if (EXISTS.test(name)) return raw.negated && !/^no|^not|^doesnot/.test(name) ? 'partial' : 'exists'
  if (TYPE.test(name) || BOUND.test(name) || CLOSE.test(name) || OF_A_TYPE.test(raw.subject)) return 'partial'
  if (PART.test(name)) return 'partial'
  // "Anything but x" accepts all other values.
  if (raw.negated && !/^(?:null|none|nil|undefined|empty|true|false)$/.test(name)) return 'exists'
  if (raw.negated) return /^(?:null|none|nil|undefined|empty)$/.test(name) ? 'exists' : 'partial'
  return 'exact'
}

/** A manual failure checks as much as the condition around it. */
function guardStrength(condition: string): Strength {
  if (/DeepEqual|Equal|cmp \.|\bdiff\b|Compare|Contains|HasPrefix|HasSuffix|Match|includes|equals/.test(condition))
    return 'exact'
  const compared = / (?:!==?|===?|<=?|>=?|<>) (.*)$/.exec(condition)?.[1]
  if (compared === undefined)
    return condition === '' ? 'partial' : / \( .* , .* \)/.test(condition) ? 'exact' : 'exists'
  // "Fail if it is x" accepts all other values; "fail unless it is x" accepts one.
  return / ===? /.test(condition) ? 'exists' : 'exact'
}

const isNull = (text: string) => /^(?:null|None|nil|undefined|nullptr)$/.test(text)

/**
 * `assertTrue(x)` checks as much as x does. In languages where any value can be truthy, a bare value checks only that it exists.
 */
function truth(raw: RawAssertion, name: string, language: Language): Strength {
  const { subject } = raw
  // Several conditions together check at least as much as one of them.
  if (/ (?:and|&&|\|\||or) /.test(subject) && / (?:===?|!==?|<=?|>=?|in|is) /.test(subject)) return 'exact'
  if (/\b(?:isNone|is_none|isErr|is_err)\b/.test(subject)) return 'partial'
  if (/\b(?:is_some|is_ok|isPresent|isOk|isSome|IsNotNull)\b/.test(subject)) return 'exists'
  if (PREDICATE.test(subject) || raw.negated || name === 'false' || name === 'falsy' || name === 'notok')
    return 'partial'
  const loose = language === 'python' || language === 'javascript' || language === 'ruby' || language === 'php'
  return loose && name !== 'true'
    ? 'exists'
    : loose && language !== 'javascript' && name === 'true'
      ? 'exists'
      : 'partial'
}

export const isBound = (raw: RawAssertion) => BOUND.test(canonical(raw.matcher))
export const isType = (raw: RawAssertion) => TYPE.test(canonical(raw.matcher))
export const isClose = (raw: RawAssertion) => CLOSE.test(canonical(raw.matcher)) || /\bapprox\b/.test(raw.expected)

/** How far off a value may be, if the matcher has a number for that. */
export function toleranceOf(raw: RawAssertion): number | undefined {
  const name = canonical(raw.matcher)
  const numbers = raw.expected.split(' , ').map((each) => each.replaceAll(' ', ''))
  const named = /\b(?:rel|abs|delta|rtol|atol|rel_tol|abs_tol|tolerance|offset|epsilon) (?:=|:) ([\d.eE+-]+)/.exec(
    raw.expected,
  )
  if (named) return Number(named[1])
  const wrapped = /\b(?:within|Within|byLessThan|offset|withPercentage|toleranceOf) \( ([\d.eE+-]+)/.exec(raw.expected)
  if (wrapped) return Number(wrapped[1])
  const places = /\bplaces = (-? ?\d+)/.exec(raw.expected)
  if (places) return 10 ** -Number(places[1]!.replace(' ', ''))
  const last = Number(numbers.at(-1))
  if (/^(?:closeto|almostequals?)$/.test(name)) {
    if (numbers.length < 2) return name === 'closeto' ? 0.005 : 1e-7
    // Jest and unittest count digits, chai and AssertJ give a distance.
    return Number.isInteger(last) && raw.matcher !== 'closeTo' ? 10 ** -last : last
  }
  if (/\bapprox \(/.test(raw.expected)) return 1e-6
  if (/^(?:within|bewithin)$/.test(name))
    return Number(/^[\d._eE+-]+/.exec(raw.expected)?.[0]?.replaceAll('_', '')) || undefined
  const third =
    /^(?:equals?|arrayequals?|areequal|equalswithdelta|indelta|inepsilon|approximately|withinduration|withindelta)$/.test(
      name,
    ) && numbers.length >= 2
  return third && Number.isFinite(last) && numbers.at(-1) !== '' ? last : undefined
}
