import type { Language } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import { is, plain, type Range } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import { type Assertion, canonical, isBound, type RawAssertion, strengthOf, toleranceOf } from './assertion.ts'
import { type Finder, type Found, helperCall } from './call-forms.ts'
import { contextOf, type Locals, localsOf, scopeOf } from './context.ts'
import { inCSharp } from './csharp.ts'
import { base, literalness } from './forms.ts'
import { inGo } from './go.ts'
import { inJava } from './java.ts'
import { inJavaScript } from './javascript.ts'
import { inPhp } from './php.ts'
import { inPython } from './python.ts'
import { inRuby } from './ruby.ts'
import { inRust } from './rust.ts'

/** How each language writes assertions. */
const FINDERS: Readonly<Record<Language, Finder>> = {
  javascript: inJavaScript,
  python: inPython,
  go: inGo,
  rust: inRust,
  java: inJava,
  kotlin: inJava,
  csharp: inCSharp,
  ruby: inRuby,
  php: inPhp,
}

/**
 * The assertions in a code range, without those that belong to other tests. Calling a function in `asserting` is an assertion too.
 */
export function findAssertions(
  unit: Unit,
  body: Range,
  otherTests: readonly Range[] = [],
  asserting: ReadonlySet<string> = new Set(),
): Assertion[] {
  const finder = FINDERS[unit.language]
  const raws: RawAssertion[] = []
  const excluded = otherTests.filter(
    ([from, to]) => from >= body[0] && to <= body[1] && !(from === body[0] && to === body[1]),
  )
  for (let i = body[0]; i < body[1]; ) {
    const hole = excluded.find(([from, to]) => i >= from && i < to)
    if (hole) {
      i = hole[1]
      continue
    }
    const found =
      unit.tokens[i]!.kind === 'word' ? (finder(unit, i, body[0]) ?? knownHelper(unit, i, asserting)) : undefined
    if (found)
      raws.push(
        ...found.assertions.map((raw) => (isOwnHelper(raw.matcher, asserting) ? { ...raw, helper: raw.matcher } : raw)),
      )
    i = found && found.end > i ? found.end : i + 1
  }
  if (raws.length === 0) return []
  const locals = localsOf(unit, body)
  return raws.map((raw) => rated(unit, raw, body, locals))
}

/** The call of the named function that is a test's code. What it asserts is defined there. */
export function macroCall(unit: Unit, body: Range, name: string): Assertion {
  const raw: RawAssertion = {
    ...base(body[0], body),
    matcher: name,
    subject: plain(unit.tokens, body),
    helper: name,
    macro: true,
  }
  return rated(unit, raw, body, new Map())
}

function knownHelper(unit: Unit, i: number, asserting: ReadonlySet<string>): Found {
  const { tokens } = unit
  const { text } = tokens[i]!
  if (!asserting.has(text) || /^(?:def|function|fn|func|fun)$/.test(tokens[i - 1]?.text ?? '')) return undefined
  // A method of another object with the same name is not the helper.
  if (
    /^(?:\.|->|::|\?\.|&\.)$/.test(tokens[i - 1]?.text ?? '') &&
    !/^(?:this|self|\$this|static|Self|cls|super)$/.test(tokens[i - 2]?.text ?? '')
  )
    return undefined
  if (is(tokens[i + 1], '(') && tokens[i + 1]!.pair > 0) return helperCall(unit, i, i + 1)
  return unit.language === 'ruby' && tokens[i]!.first
    ? { assertions: [{ ...base(i, [i, i + 1]), matcher: text, helper: text }], end: i + 1 }
    : undefined
}

/** Names that assertion libraries use. A project function with such a name is not meant in other files. */
const STANDARD =
  /^(?:assert(?:Equals?|NotEquals?|ArrayEquals|IterableEquals|LinesMatch|True|False|Null|NotNull|Same|NotSame|That|Throws|All|Timeout|InstanceOf|Contains|Count|Empty|NotEmpty|Is\w*|In|NotIn|Raises\w*|_equal|_raises)?|expect|should|verify|fail|check)$/

const isOwnHelper = (name: string, asserting: ReadonlySet<string>) => asserting.has(name) && !STANDARD.test(name)

function rated(unit: Unit, found: RawAssertion, body: Range, locals: Locals): Assertion {
  const raw = subjectFirst(found)
  const why = whyVacuous(raw)
  const tolerance = toleranceOf(raw)
  return {
    ...raw,
    line: unit.tokens[raw.at]!.line,
    text: plain(unit.tokens, raw.span),
    scope: scopeOf(`${raw.subject} ${raw.expected} ${plain(unit.tokens, raw.span)}`, locals),
    strength: why === undefined ? strengthOf(raw, unit.language) : 'vacuous',
    ...(why !== undefined && { why }),
    ...(hasSameExpression(raw, locals) && { sameExpression: true }),
    ...contextOf(unit, raw.at, body),
    ...(tolerance !== undefined && { tolerance }),
    ...capturedBy(unit, raw),
  }
}

/** `const error = await t.throwsAsync(…)`, `with pytest.raises(E) as info:`. */
function capturedBy({ tokens }: Unit, { span, matcher }: RawAssertion): Pick<Assertion, 'captured'> {
  if (!/throw|raise|fail|reject|exception/i.test(matcher)) return {}
  if (is(tokens[span[1]], 'as') && tokens[span[1] + 1]?.kind === 'word')
    return { captured: [tokens[span[1] + 1]!.text] }
  let at = span[0] - 1
  while (/^(?:await|\.|::|->|assert|Assert|Assertions|t|self|this|\$this|PHPUnit)$/.test(tokens[at]?.text ?? '')) at--
  if (!is(tokens[at], '=') && !is(tokens[at], ':=')) return {}
  const names: string[] = []
  for (let i = at - 1; i >= 0 && i > at - 20; i--) {
    const token = tokens[i]!
    if (token.kind === 'word') names.push(token.text)
    if (token.first) break
  }
  return { captured: names.filter((name) => !/^(?:const|let|var|val|final|auto)$/.test(name)) }
}

/** `expect([200, 204]).toContain(status)` checks the status, not the list. */
function subjectFirst(raw: RawAssertion): RawAssertion {
  const checksMembership = /^(?:contain|contains|include|includes|oneof)$/.test(canonical(raw.matcher))
  const list = /^(?:\[|List \. of|listOf|Arrays \. asList|new)/.test(raw.subject) && literalness(raw.subject) === 2
  return checksMembership && list && literalness(raw.expected) < 2
    ? { ...raw, matcher: 'in', subject: raw.expected, expected: raw.subject }
    : raw
}

/** Why an assertion can never fail; undefined if it can. */
function whyVacuous(raw: RawAssertion): string | undefined {
  if (raw.neverFails !== undefined) return raw.neverFails
  if (raw.helper !== undefined || raw.matcher === 'guard')
    return raw.matcher === 'guard' && isFalse(raw.subject) ? 'its condition is never true' : undefined
  const name = canonical(raw.matcher)
  const { subject, expected } = raw
  if (/throw|raise|panic|verify|response|called|received|snapshot|^fails/.test(name)) return acceptsAnything(raw, name)
  if (subject === '' && expected === '') return undefined
  if (wordsOf(subject).length === 0 && wordsOf(expected).length === 0 && !/["]/.test('') && subject !== 'subject')
    return literalOnly(raw, name)
  if (/(?:^|\s)(?:\|\||or) (?:true|True|1)$|^(?:true|True) (?:\|\||or)\b/.test(subject))
    return 'part of its condition is always true'
  if (subject !== '' && subject === expected && !raw.negated && isEquality(name) && wordsOf(subject).length > 0)
    return 'it compares a value with itself'
  if (isBound(raw) && alwaysHolds(raw)) return 'a length is never negative'
  if (isTautology(subject)) return 'one of its two conditions is always true'
  return acceptsAnything(raw, name)
}

const isFalse = (text: string) => /^(?:false|False|0|! true|not True|nil|None)$/.test(text)

/** Matchers that accept every value. */
function acceptsAnything(raw: RawAssertion, name: string): string | undefined {
  const { expected } = raw
  if (raw.negated) return undefined
  const matchesAny =
    /^(?:expect \. anything \( \)|anything(?: \( \))?|(?:mock \. )?ANY|any \( \)|Arg \. Any|It \. IsAny.*|be_a \( Object \)|object)$/.test(
      expected,
    )
  if (matchesAny && !/throw|raise|called|received|verify|expects/.test(name)) return 'it accepts any value'
  if (
    /^match/.test(name) &&
    /^(?:\/(?:\.\*|\^|\.|\^\.\*\$?|\[\\s\\S\]\*)?\/[a-z]*|"(?:\.\*|\^|)"|\{ \}|Regex \( "\.\*" \))$/.test(expected)
  )
    return 'its pattern matches everything'
  if (/^(?:contain\w*|include\w*|in|startswith|endswith|stringcontainsstring)$/.test(name) && expected === '""')
    return 'every string contains the empty string'
  if (/^in$/.test(name) && raw.subject === '""') return 'every string contains the empty string'
  if (/^(?:matchobject|objectcontaining)$/.test(name) && expected === '{ }') return 'every object matches {}'
  if (/^(?:isinstance|instanceof|isa|assert)$/.test(name) && /^isinstance \( .* , object \)$/.test(raw.subject))
    return 'every value is an object'
  return undefined
}

const LITERAL =
  /^(?:true|false|null|None|nil|undefined|True|False|NaN|new|Array|Object|Boolean|String|Number|int|bool)$/

/** Words that are neither literals nor inside strings. */
function wordsOf(text: string): string[] {
  const found = text.replace(/"(?:[^"\\]|\\.)*"/g, ' ').match(/[\p{L}_$@][\p{L}\p{N}_$]*/gu) ?? []
  return found.filter((word) => !LITERAL.test(word) && !/^[eExX]?\d/.test(word))
}

/** Only literals on both sides: the code under test is not involved. */
function literalOnly(raw: RawAssertion, name: string): string | undefined {
  // `is_expected`, blocks and responses have no word of their own.
  return raw.subject === 'block' || raw.subject === 'response' || name === 'should'
    ? undefined
    : 'it compares only literals'
}

const isEquality = (name: string) =>
  /^(?:equal\w*|===?|is|eq\w*|same\w*|deepequal|strictequal|deeplyequal|)$/.test(name)

function alwaysHolds(raw: RawAssertion): boolean {
  const size = /\b(?:len|length|size|count|Length|Count|sizeof|strlen)\b/.test(raw.subject)
  const name = canonical(raw.matcher)
  const floor = Number(raw.expected.replaceAll(' ', ''))
  if (!size || raw.expected === '' || raw.negated) return false
  if (/^(?:>=|greaterthanorequal\w*|greaterorequal|atleast|least|gte|greaterequal)$/.test(name)) return floor <= 0
  return /^(?:>|greaterthan|greater|above|gt)$/.test(name) && floor < 0
}

/** `r.is_ok() || r.is_err()`, `x or not x`. */
function isTautology(subject: string): boolean {
  const parts = /^(.+?) (?:\|\||or) (.+)$/.exec(subject)
  if (!parts) return false
  const [left, right] = [parts[1]!, parts[2]!]
  if (right === `! ${left}` || right === `not ${left}` || left === `! ${right}` || left === `not ${right}`) return true
  const opposite = /^(.+) \. (is_ok|is_err|is_some|is_none|isPresent|isEmpty) \( \)$/
  const [one, other] = [opposite.exec(left), opposite.exec(right)]
  return one !== null && other !== null && one[1] === other[1] && one[2] !== other[2]
}

/** Whether both sides are variables of the test that hold the same expression. */
function hasSameExpression(raw: RawAssertion, locals: Locals): boolean {
  const [left, right] = [resolved(raw.subject, locals), resolved(raw.expected, locals)]
  return (
    left !== '' &&
    left === right &&
    raw.subject !== raw.expected &&
    !raw.negated &&
    isEquality(canonical(raw.matcher)) &&
    wordsOf(left).length > 0
  )
}

const resolved = (text: string, locals: Locals) =>
  locals.get(text) ??
  text.replace(/[\p{L}_$][\p{L}\p{N}_$]*/gu, (word) => (text === word ? (locals.get(word) ?? word) : word))
