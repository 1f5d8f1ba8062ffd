import { findAt, is, listItems, plain, type Range, type Token } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import type { RawAssertion } from './assertion.ts'

/** Forms of assertions that several languages share. */

export const base = (at: number, span: Range) => ({ at, span, negated: false, subject: '', expected: '' })

/** `assert expression`: its outermost comparison, or else the expression itself. */
export function bare(unit: Unit, at: number, expression: Range, span: Range): RawAssertion {
  const { tokens } = unit
  let [from, to] = expression
  let negated = false
  while (is(tokens[from], '!') || is(tokens[from], 'not')) {
    negated = !negated
    from++
  }
  const comparison = comparisonIn(tokens, [from, to])
  if (!comparison)
    return { ...base(at, span), matcher: 'assert', subject: plain(tokens, unwrapped(tokens, [from, to])), negated }
  const inverted = negated ? !comparison.negated : comparison.negated
  return {
    ...base(at, span),
    ...sides(comparison.left, comparison.right, comparison.operator),
    matcher: comparison.operator,
    negated: inverted,
  }
}

interface SingleComparison {
  readonly operator: string
  readonly left: string
  readonly right: string
  readonly negated: boolean
}

const JOINS = new Set(['&&', '||', 'and', 'or'])

const COMPARISONS = new Set([
  '==',
  '===',
  '!=',
  '!==',
  '<',
  '>',
  '<=',
  '>=',
  'is',
  'in',
  '=~',
  '!~',
  'eq',
  'instanceof',
  '<>',
])

/** The outermost `a == b`, `x not in y` or `p is None` of an expression; undefined if it isn't a single comparison. */
function comparisonIn(tokens: readonly Token[], range: Range): SingleComparison | undefined {
  const [from, to] = unwrapped(tokens, range)
  if (findAt(tokens, [from, to], (token) => JOINS.has(token.text) && token.kind !== 'string') >= 0) return undefined
  const at = findAt(tokens, [from, to], (token, i) => {
    if (token.kind === 'string' || token.kind === 'regex' || !COMPARISONS.has(token.text) || i === from) return false
    // `List<String>`: a type argument follows its word without a space.
    return !(
      token.text === '<' &&
      tokens[i - 1]?.kind === 'word' &&
      tokens[i - 1]!.at + tokens[i - 1]!.text.length === token.at
    )
  })
  if (at < 0) return undefined
  let [operator, left, right, negated] = [tokens[at]!.text, at, at + 1, false]
  if (is(tokens[at - 1], 'not') || is(tokens[at - 1], '!')) {
    negated = true
    left = at - 1
  }
  if (operator === 'is' && is(tokens[right], 'not')) {
    negated = true
    right++
  }
  if (operator.startsWith('!') || operator === '<>') {
    negated = !negated
    operator = operator === '!~' ? '=~' : '=='
  }
  return { operator, left: plain(tokens, [from, left]), right: plain(tokens, [right, to]), negated }
}

/** A range without the brackets around it. */
function unwrapped(tokens: readonly Token[], [from, to]: Range): Range {
  const open = tokens[from]
  return is(open, '(') && open!.pair === to - 1 ? unwrapped(tokens, [from + 1, to - 1]) : [from, to]
}

const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' }

/** Which side is checked and which is expected: the literal side is expected. */
export function sides(
  left: string,
  right: string,
  operator = '==',
): { subject: string; expected: string; matcher: string } {
  const turn = literalness(left) > literalness(right)
  return turn
    ? { subject: right, expected: left, matcher: FLIPPED[operator] ?? operator }
    : { subject: left, expected: right, matcher: operator }
}

const CONSTANT_WORDS =
  /^(?:true|false|null|None|nil|undefined|NaN|Infinity|True|False|new|void|vec|some|Some|Ok|Err|String|from|to_string|to_owned|into|Vec|List|of|listOf|array|object|string|int|double|float|char|let|const|e\d*)$/

/** 2 for a literal, 1 for a variable called `expected` or the like, 0 for anything computed. */
export function literalness(text: string): number {
  const words = text.replace(/"(?:[^"\\]|\\.)*"/g, ' ').match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []
  const computed = words.filter((word) => !CONSTANT_WORDS.test(word) && !/^[A-Z][A-Z_\d]*$/.test(word)).length
  if (computed === 0) return text === '' ? 0 : 2
  return /^(?:expected|want|wanted|exp)\b/i.test(text) ? 1 : 0
}

/** `assertEquals(expected, actual)`, `t.is(actual, expected)`, `Assert.That(actual, Is.EqualTo(x))`. */
export function xunit(
  unit: Unit,
  at: number,
  name: string,
  open: number,
  options: { skip?: number; span?: Range } = {},
): RawAssertion {
  const { tokens } = unit
  const args = listItems(tokens, open).slice(options.skip ?? 0)
  const span: Range = options.span ?? [at, tokens[open]!.pair + 1]
  const isText = (arg: Range | undefined) =>
    arg !== undefined && tokens[arg[0]]!.kind === 'string' && (arg[1] - arg[0] === 1 || is(tokens[arg[0] + 1], '+'))
  // JUnit 4 takes the message first, JUnit 5 last.
  if (
    args.length >= 3 &&
    isText(args[0]) &&
    !isText(args.at(-1)) &&
    /^assert[A-Z]/.test(name) &&
    (unit.language === 'java' || unit.language === 'kotlin')
  )
    args.shift()
  const texts = args.map((arg) => plain(tokens, arg))
  const common = { ...base(at, span), matcher: name }
  if (args.length === 0) return common
  if (/^(?:assert)?_?(?:that)$/i.test(name)) return hamcrest(unit, at, args, span, name)
  const one =
    /^(?:assert|is|assert_?is|to_?be|refute)?_?(?:true|false|ok|notok|truthy|falsy)?$/i.test(name) ||
    name === 'Condition'
  if (one) {
    const asksNothing =
      args[0]![1] - args[0]![0] === 1 &&
      (tokens[args[0]![0]]!.kind === 'string' || / \(| [=!<>]=? /.test(texts[1] ?? ''))
    const message = texts.length > 1 && asksNothing && tokens[args[1]![0]]!.kind !== 'string'
    const inner = bare(unit, at, args[message ? 1 : 0]!, span)
    const inverted = /false|notok|falsy|refute/i.test(name)
    const equal =
      inner.matcher === 'assert'
        ? /^(.+?) (?:\.|->) (?:equals|Equals|SequenceEqual|eql\?) \( (.+) \)$/.exec(inner.subject)
        : null
    if (equal)
      return { ...inner, ...sides(equal[1]!, equal[2]!), matcher: 'equals', negated: inverted !== inner.negated }
    const matcher = inner.matcher === 'assert' ? name : inner.matcher
    return { ...inner, matcher, negated: inner.matcher === 'assert' ? inner.negated : inverted !== inner.negated }
  }
  const negated =
    (/not|refute|differ|unequal/i.test(name) || name === 'ne') && !/null|none|nil|empty|throw|raise|error/i.test(name)
  if (texts.length === 1) return { ...common, subject: texts[0]!, negated }
  if (/throws|raises|fails/i.test(name)) {
    // The error type is expected; the code that should raise it is the subject.
    const code = texts.findIndex((text) => /->|=>|\bfunction\b|::/.test(text) && !/:: class$/.test(text))
    if (code >= 0)
      return { ...common, subject: texts[code]!, expected: texts.filter((_, i) => i !== code).join(' , '), negated }
  }
  const { subject, expected } = sides(texts[0]!, texts[1]!)
  const rest = texts.slice(2).filter((text) => !text.startsWith('"'))
  return { ...common, subject, expected: [expected, ...rest].join(' , '), negated }
}

/** `assertThat(x, is(y))` and `Assert.That(x, Is.EqualTo(y))`: the second argument is the matcher. */
function hamcrest(unit: Unit, at: number, args: readonly Range[], span: Range, name: string): RawAssertion {
  const { tokens } = unit
  const described = args.length > 2 && tokens[args[0]![0]]!.kind === 'string'
  const [subject, matcher] = described ? args.slice(1) : args
  if (!matcher) return { ...bare(unit, at, subject!, span), span }
  const open = lastCall(tokens, matcher)
  const words = tokens
    .slice(matcher[0], matcher[1])
    .filter((token) => token.kind === 'word')
    .map((token) => token.text)
  const word = open > matcher[0] ? tokens[open - 1]!.text : (words.at(-1) ?? name)
  const negated = words.some((each) => /^(?:not|Not|Does|IsNot)$/.test(each))
  const inner =
    open > 0 && /^(?:is|not|equalTo)$/.test(word)
      ? plain(tokens, [open + 1, tokens[open]!.pair])
      : open > 0
        ? plain(tokens, [open + 1, tokens[open]!.pair])
        : ''
  return { ...base(at, span), matcher: word, subject: plain(tokens, subject!), expected: inner, negated }
}

const lastCall = (tokens: readonly Token[], [from, to]: Range) => {
  let found = -1
  findAt(tokens, [from, to], (token, i) => {
    if (is(token, '(') && tokens[i - 1]?.kind === 'word') found = i
    return false
  })
  return found
}

/** Start of the expression that a method is called on: goes back over names, dots and brackets. */
export function receiverStart(tokens: readonly Token[], dot: number, floor: number): number {
  let i = dot - 1
  for (;;) {
    const token = tokens[i]
    if (!token || i < floor) return i + 1
    if ((token.text === ')' || token.text === ']' || token.text === '}') && token.pair >= floor) i = token.pair - 1
    else if (token.kind !== 'punct') i--
    else if (
      token.text === '.' ||
      token.text === '->' ||
      token.text === '::' ||
      token.text === '?.' ||
      token.text === '!' ||
      token.text === '&.'
    )
      i--
    else return i + 1
    const here = tokens[i + 1]!
    const glue = tokens[i]
    // Two adjacent names belong to different expressions, unless a dot or the like joins them.
    if (glue && glue.kind !== 'punct' && here.kind !== 'punct') return i + 1
    if (
      glue &&
      here.kind === 'punct' &&
      (here.text === '(' || here.text === '[' || here.text === '{') &&
      glue.kind === 'punct' &&
      !/^[)\].>}]|->|::$/.test(glue.text)
    )
      return i + 1
    if (here.first && here.kind !== 'punct') return i + 1
  }
}
