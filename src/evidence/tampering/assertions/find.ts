import type { Language } from '../../test-files.ts'
import { is, plain, type Range } from '../source/token.ts'
import type { Unit } from '../source/unit.ts'
import { placeOf } from './context.ts'
import { inCSharp } from './csharp.ts'
import { type Finder, type Found, helperCall } from './finder.ts'
import { base, writtenOut } from './forms.ts'
import { inGo } from './go.ts'
import { echoes, hollowness, type Locals, localsOf } from './hollow.ts'
import { inJava } from './java.ts'
import { inJavaScript } from './javascript.ts'
import type { Assertion, RawAssertion } from './model.ts'
import { inPhp } from './php.ts'
import { inPython } from './python.ts'
import { inRuby } from './ruby.ts'
import { inRust } from './rust.ts'
import { canonical, strengthOf, toleranceOf } from './strength.ts'

/** How assertions are written in a language. */
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
 * The assertions in a stretch of code, without those in the stretches that belong to other tests.
 * `asserting` names the functions that are known to assert: to call one of them is an assertion too.
 */
export function findAssertions(
  unit: Unit,
  body: Range,
  without: readonly Range[] = [],
  asserting: ReadonlySet<string> = new Set(),
): Assertion[] {
  const finder = FINDERS[unit.language]
  const raws: RawAssertion[] = []
  const holes = without.filter(
    ([from, to]) => from >= body[0] && to <= body[1] && !(from === body[0] && to === body[1]),
  )
  for (let i = body[0]; i < body[1]; ) {
    const hole = holes.find(([from, to]) => i >= from && i < to)
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
  return raws.map((raw) => weighed(unit, raw, body, locals))
}

/** Names that libraries have made their own: a function of the project by such a name is not meant elsewhere. */
const STANDARD =
  /^(?:assert(?:Equals?|NotEquals?|ArrayEquals|IterableEquals|LinesMatch|True|False|Null|NotNull|Same|NotSame|That|Throws|All|Timeout|InstanceOf|Contains|Count|Empty|NotEmpty|Is\w*|In|NotIn|Raises\w*|_equal|_raises)?|expect|should|verify|fail|check)$/

const isOwnHelper = (name: string, asserting: ReadonlySet<string>) => asserting.has(name) && !STANDARD.test(name)

function knownHelper(unit: Unit, i: number, asserting: ReadonlySet<string>): Found {
  const { tokens } = unit
  const { text } = tokens[i]!
  if (!asserting.has(text) || /^(?:def|function|fn|func|fun)$/.test(tokens[i - 1]?.text ?? '')) return undefined
  // A method of some other object by the same name is no helper.
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

/** `expect([200, 204]).toContain(status)` looks at the status, not at the list. */
function turned(raw: RawAssertion): RawAssertion {
  const asks = /^(?:contain|contains|include|includes|oneof)$/.test(canonical(raw.matcher))
  const list = /^(?:\[|List \. of|listOf|Arrays \. asList|new)/.test(raw.subject) && writtenOut(raw.subject) === 2
  return asks && list && writtenOut(raw.expected) < 2
    ? { ...raw, matcher: 'in', subject: raw.expected, expected: raw.subject }
    : raw
}

function weighed(unit: Unit, found: RawAssertion, body: Range, locals: Locals): Assertion {
  const raw = turned(found)
  const why = hollowness(raw)
  const tolerance = toleranceOf(raw)
  return {
    ...raw,
    line: unit.tokens[raw.at]!.line,
    text: plain(unit.tokens, raw.span),
    scope: scopeOf(`${raw.subject} ${raw.expected} ${plain(unit.tokens, raw.span)}`, locals),
    strength: why === undefined ? strengthOf(raw, unit.language) : 'vacuous',
    ...(why !== undefined && { why }),
    ...(echoes(raw, locals) && { echoes: true }),
    ...placeOf(unit, raw.at, body),
    ...(tolerance !== undefined && { tolerance }),
  }
}

/** The words of an assertion and, twice over, what the test's own names among them were set to. */
function scopeOf(text: string, locals: Locals): string {
  const seen = new Set<string>()
  let scope = text
  for (let round = 0; round < 2; round++) {
    const names = (scope.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter(
      (name) => locals.has(name) && !seen.has(name),
    )
    for (const name of names) {
      if (seen.has(name)) continue
      seen.add(name)
      scope += ` ${locals.get(name)}`
    }
  }
  return scope
}
