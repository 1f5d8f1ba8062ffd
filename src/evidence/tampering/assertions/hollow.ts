import type { Language } from '../../test-files.ts'
import { findAt, is, plain, type Range } from '../source/token.ts'
import type { Unit } from '../source/unit.ts'
import type { RawAssertion } from './model.ts'
import { canonical, isBound } from './strength.ts'

/** Names of a test's own values and what each was set to; those set twice are left out. */
export type Locals = ReadonlyMap<string, string>

const DECLARED = new Set<Language>(['javascript', 'java', 'kotlin', 'csharp', 'rust', 'go'])

export function localsOf(unit: Unit, [from, to]: Range): Locals {
  const { tokens } = unit
  const values = new Map<string, string>()
  const twice = new Set<string>()
  for (let i = from; i < to; i++) {
    const name = tokens[i]!
    if (name.kind !== 'word' || !(is(tokens[i + 1], '=') || is(tokens[i + 1], ':=')) || is(tokens[i - 1], '.')) continue
    // Where names are declared, setting one later is something else.
    if (
      DECLARED.has(unit.language) &&
      !is(tokens[i + 1], ':=') &&
      tokens[i - 1]?.kind !== 'word' &&
      !is(tokens[i - 1], '>') &&
      !is(tokens[i - 1], ']')
    )
      continue
    const end = findAt(
      tokens,
      [i + 2, to],
      (token, at) => is(token, ';') || is(token, ',') || (at > i + 2 && token.first && !/^[.?:+&|]/.test(token.text)),
    )
    if (values.has(name.text)) twice.add(name.text)
    values.set(name.text, plain(tokens, [i + 2, end < 0 ? to : end]).replace(/^await /, ''))
  }
  for (const name of twice) values.delete(name)
  return values
}

const LITERAL =
  /^(?:true|false|null|None|nil|undefined|True|False|NaN|new|Array|Object|Boolean|String|Number|int|bool)$/

/** Words that are neither literals nor inside strings. */
function wordsOf(text: string): string[] {
  const found = text.replace(/"(?:[^"\\]|\\.)*"/g, ' ').match(/[\p{L}_$@][\p{L}\p{N}_$]*/gu) ?? []
  return found.filter((word) => !LITERAL.test(word) && !/^[eExX]?\d/.test(word))
}

/** Why an assertion can never fail, or undefined when it can. */
export function hollowness(raw: RawAssertion): string | undefined {
  if (raw.hollow !== undefined) return raw.hollow
  if (raw.helper !== undefined || raw.matcher === 'guard')
    return raw.matcher === 'guard' && isFalse(raw.subject) ? 'its condition is never true' : undefined
  const name = canonical(raw.matcher)
  const { subject, expected } = raw
  if (/throw|raise|panic|verify|response|called|received|snapshot|^fails/.test(name)) return anything(raw, name)
  if (subject === '' && expected === '') return undefined
  if (wordsOf(subject).length === 0 && wordsOf(expected).length === 0 && !/["]/.test('') && subject !== 'subject')
    return literalOnly(raw, name)
  if (/(?:^|\s)(?:\|\||or) (?:true|True|1)$|^(?:true|True) (?:\|\||or)\b/.test(subject))
    return 'it is true whatever the rest says'
  if (subject !== '' && subject === expected && !raw.negated && asksSameness(name) && wordsOf(subject).length > 0)
    return 'it compares a value with itself'
  if (isBound(raw) && alwaysHolds(raw)) return 'a length is never negative'
  if (eitherWay(subject)) return 'one of the two always holds'
  return anything(raw, name)
}

/** `r.is_ok() || r.is_err()`, `x or not x`. */
function eitherWay(subject: string): boolean {
  const parts = /^(.+?) (?:\|\||or) (.+)$/.exec(subject)
  if (!parts) return false
  const [left, right] = [parts[1]!, parts[2]!]
  if (right === `! ${left}` || right === `not ${left}` || left === `! ${right}` || left === `not ${right}`) return true
  const opposite = /^(.+) \. (is_ok|is_err|is_some|is_none|isPresent|isEmpty) \( \)$/
  const [one, other] = [opposite.exec(left), opposite.exec(right)]
  return one !== null && other !== null && one[1] === other[1] && one[2] !== other[2]
}

const asksSameness = (name: string) =>
  /^(?:equal\w*|===?|is|eq\w*|same\w*|deepequal|strictequal|deeplyequal|)$/.test(name)

/** Whether the test's own names for both sides stand for one and the same expression. */
export function echoes(raw: RawAssertion, locals: Locals): boolean {
  const [left, right] = [resolved(raw.subject, locals), resolved(raw.expected, locals)]
  return (
    left !== '' &&
    left === right &&
    raw.subject !== raw.expected &&
    !raw.negated &&
    asksSameness(canonical(raw.matcher)) &&
    wordsOf(left).length > 0
  )
}

/** Only literals on both sides: the code under test is not asked. */
function literalOnly(raw: RawAssertion, name: string): string | undefined {
  // `is_expected`, blocks and responses are written without a word of their own.
  return raw.subject === 'block' || raw.subject === 'response' || name === 'should'
    ? undefined
    : 'it looks at nothing but literals'
}

const resolved = (text: string, locals: Locals) =>
  locals.get(text) ??
  text.replace(/[\p{L}_$][\p{L}\p{N}_$]*/gu, (word) => (text === word ? (locals.get(word) ?? word) : word))

const isFalse = (text: string) => /^(?:false|False|0|! true|not True|nil|None)$/.test(text)

function alwaysHolds(raw: RawAssertion): boolean {
  const size = /\b(?:len|length|size|count|Length|Count|sizeof|strlen)\b/.test(raw.subject)
  const name = canonical(raw.matcher)
  const floor = Number(raw.expected.replaceAll(' ', ''))
  if (!size || raw.expected === '' || raw.negated) return false
  if (/^(?:>=|greaterthanorequal\w*|greaterorequal|atleast|least|gte|greaterequal)$/.test(name)) return floor <= 0
  return /^(?:>|greaterthan|greater|above|gt)$/.test(name) && floor < 0
}

/** Matchers that accept every value. */
function anything(raw: RawAssertion, name: string): string | undefined {
  const { expected } = raw
  if (raw.negated) return undefined
  const open =
    /^(?:expect \. anything \( \)|anything(?: \( \))?|(?:mock \. )?ANY|any \( \)|Arg \. Any|It \. IsAny.*|be_a \( Object \)|object)$/.test(
      expected,
    )
  if (open && !/throw|raise|called|received|verify|expects/.test(name)) return 'it accepts any value'
  if (
    /^match/.test(name) &&
    /^(?:\/(?:\.\*|\^|\.|\^\.\*\$?|\[\\s\\S\]\*)?\/[a-z]*|"(?:\.\*|\^|)"|\{ \}|Regex \( "\.\*" \))$/.test(expected)
  )
    return 'its pattern fits everything'
  if (/^(?:contain\w*|include\w*|in|startswith|endswith|stringcontainsstring)$/.test(name) && expected === '""')
    return 'everything contains the empty text'
  if (/^in$/.test(name) && raw.subject === '""') return 'everything contains the empty text'
  if (/^(?:matchobject|objectcontaining)$/.test(name) && expected === '{ }') return 'everything fits an empty object'
  if (/^(?:isinstance|instanceof|isa|assert)$/.test(name) && /^isinstance \( .* , object \)$/.test(raw.subject))
    return 'everything is an object'
  return undefined
}
