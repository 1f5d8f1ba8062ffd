import type { Language } from '../../test-files.ts'
import type { Range } from '../source/tokens-and-blocks.ts'

/** How much an assertion says: a value, a part or bound of it, only that something is there, or nothing at all. */
type Strength = 'exact' | 'partial' | 'exists' | 'vacuous'
export const LEVEL: Readonly<Record<Strength, number>> = { exact: 3, partial: 2, exists: 1, vacuous: 0 }

/** An assertion as it stands in the text, before it is weighed. */
export interface RawAssertion {
  /** Name of the matcher or method as written; `==` and its like for bare comparisons, `guard` for a conditional failure. */
  readonly matcher: string
  readonly subject: string
  readonly expected: string
  readonly negated: boolean
  readonly at: number
  readonly span: Range
  /** A call of something whose name sounds like an assertion; what it asserts stands elsewhere. */
  readonly helper?: string
  readonly awaited?: boolean
  /** Why it can never fail, where the form alone shows it. */
  readonly neverFails?: string
}

export interface Assertion extends RawAssertion {
  readonly line: number
  readonly text: string
  readonly strength: Strength
  /** Both sides were computed by the same expression: a test of sameness, or an expectation that follows the code. */
  readonly echoes?: boolean
  /** For a vacuous one: why. */
  readonly why?: string
  /** Does not run, or its failure is lost: in words. */
  readonly lost?: string
  /** Runs once for each of many values. */
  readonly loops?: boolean
  /** Runs only when this holds. */
  readonly condition?: string
  /** What it speaks of, with the test's own values written out. */
  readonly scope: string
  /** How far a value may lie off: the larger, the looser. */
  readonly tolerance?: number
}

/** A matcher's name without the words around its meaning: `assertNotNull`, `toBeNull`, `be_nil` become `notnull`, `null`, `nil`. */
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
const BOUND =
  /^(?:<|>|<=|>=|(?:not)?(?:greater|less|above|below|gt|gte|lt|lte|least|most|atleast|atmost|positive|negative|before|after|between|within|inrange|strictlybetween)\w*)$/
const CLOSE =
  /^(?:close\w*|almost\w*|approx\w*|indelta\w*|inepsilon\w*|withindelta|equalswithdelta|allclose|arrayalmostequal|approximately|bewithin|within|withinduration|rtol)$/
const PART =
  /^(?:in|notin|=~|(?:not|doesnot)?(?:contain|include|match)\w*|regex\w*|regexp\w*|startwith|startswith|endwith|endswith|subset\w*|superset\w*|subsetof|hasitem\w*|item\w*|property|key|keys|field|likes?|matchobject|matcharray|objectcontaining|stringcontainsstring|doesnotcontain\w*|elements?match|oneof|member\w*|attributes?|jsonstructure|jsonfragment|see|dontsee|error|errors?|throws?|thrown?|raises?|raiseerror|errorcontains|panics?)\w*$/
const TRUTH = /^(?:assert|true|false|condition|that|should|notok|falsy|falsey)$/
/** A question with a yes or no, asked of a value. */
const PREDICATE =
  /^(?:\w+ \. )*(?:all|any|isinstance|issubclass|hasattr|callable|math|bool)\b|\b(?:is|has|have|can|should|are|contains?|includes?|starts_?with|ends_?with|matches|equals|every|some|exists|all|any|eq|valid|empty)[A-Z_]?\w*[?!]? ?\(|\?(?: |$)|\b(?:startswith|endswith|isdigit|isalpha|is_\w+|has_\w+|matches !)/

/** How much a matcher says by itself, before it is known whether the values make it hollow. */
export function strengthOf(raw: RawAssertion, language: Language): Strength {
  const name = canonical(raw.matcher)
  if (raw.helper !== undefined) return 'exact'
  if (raw.matcher === 'guard') return guardStrength(raw.subject)
  if (name === 'nothing') return 'vacuous'
  if (/snapshot/.test(name)) return 'exact'
  if (TRUTH.test(name)) return truth(raw, name, language)
  if (isNull(raw.expected) && raw.negated) return 'exists'
  if (EXISTS.test(name)) return raw.negated && !/^no|^not|^doesnot/.test(name) ? 'partial' : 'exists'
  if (TYPE.test(name) || BOUND.test(name) || CLOSE.test(name)) return 'partial'
  if (PART.test(name)) return 'partial'
  // "Anything but" leaves all other values open.
  if (raw.negated && !/^(?:null|none|nil|undefined|empty|true|false)$/.test(name)) return 'exists'
  if (raw.negated) return /^(?:null|none|nil|undefined|empty)$/.test(name) ? 'exists' : 'partial'
  return 'exact'
}

/** A failure asked for by hand says as much as the condition it stands under. */
function guardStrength(condition: string): Strength {
  if (/DeepEqual|Equal|cmp \.|\bdiff\b|Compare|Contains|HasPrefix|HasSuffix|Match|includes|equals/.test(condition))
    return 'exact'
  const compared = / (?:!==?|===?|<=?|>=?|<>) (.*)$/.exec(condition)?.[1]
  if (compared === undefined)
    return condition === '' ? 'partial' : / \( .* , .* \)/.test(condition) ? 'exact' : 'exists'
  // "Fail when it is x" leaves all other values open; "fail unless it is x" asks for one.
  return / ===? /.test(condition) ? 'exists' : 'exact'
}

const isNull = (text: string) => /^(?:null|None|nil|undefined|nullptr)$/.test(text)

/** `assertTrue(x)`: as much as x asks. In languages where anything may stand for true, a bare value asks only for something. */
function truth(raw: RawAssertion, name: string, language: Language): Strength {
  const { subject } = raw
  // Several questions joined: together they ask at least as much as one of them.
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

/** How far off a value may lie, where a matcher says so in numbers. */
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
