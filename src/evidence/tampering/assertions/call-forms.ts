import { findAt, is, listItems, plain, type Range } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, type Unit } from '../source/unit.ts'
import type { RawAssertion } from './assertion.ts'
import { base } from './forms.ts'

const JOINTS = new Set(['.', '->', '?.', '::', '?->', '&.', '!.'])
const NEGATING = /^(?:not|never|Not|ShouldNot|NotTo|ToNot|not_to|to_not|toNot|should_not)$/

/** Words in a chain that assert nothing by themselves. */
const NEUTRAL_WORDS =
  /^(?:to|be|been|is|that|which|and|has|have|with|at|of|same|but|does|still|also|a|an|not|never|resolves|rejects|soft|deep|own|nested|ordered|any|all|it|its|Should|And|Which|Subject|Not|each|message|finally|then|catch)$/

/** Methods that only select what is asserted, or how. */
const NEUTRAL_CALLS =
  /^(?:and|that|which|with|as|describedAs|withFailMessage|overridingErrorMessage|withMessage|extracting|filteredOn|first|last|element|singleElement|usingRecursiveComparison|ignoring\w*|using\w*|asString|asList|asInstanceOf|Should|each|sequence|json|because|on|returns|WithTimeout|WithPolling|Within|finally|then|catch|not|all|any)$/

/** Assertions in `expect(subject).a.b(args).c(args)`; `from` is the index after the subject's brackets. */
export function chain(
  unit: Unit,
  at: number,
  subject: string,
  from: number,
): { assertions: RawAssertion[]; end: number } {
  const { tokens, language } = unit
  const found: RawAssertion[] = []
  let i = from
  let negated = false
  let last: { word: string; index: number } | undefined
  let matcherCalled = true
  while (JOINTS.has(tokens[i]?.text ?? '') && tokens[i + 1]?.kind === 'word') {
    const word = tokens[i + 1]!.text
    let open = i + 2
    if (is(tokens[open], '!')) open++
    if (is(tokens[open], '<')) open = afterTypes(unit, open)
    const called = is(tokens[open], '(') && tokens[open]!.pair > 0
    if (NEGATING.test(word)) negated = !negated
    if (language === 'php' && word === 'and' && called) {
      // Pest can switch to another subject within the same chain.
      const rest = chain(unit, i + 1, plain(tokens, [open + 1, tokens[open]!.pair]), tokens[open]!.pair + 1)
      return { assertions: [...found, ...rest.assertions], end: rest.end }
    }
    if (!NEUTRAL_WORDS.test(word)) {
      last = { word, index: i + 1 }
      matcherCalled = false
    }
    if (called) {
      if (!NEUTRAL_CALLS.test(word)) {
        found.push(matcherCall(unit, at, subject, word, open, negated))
        negated = false
        matcherCalled = true
      }
      i = tokens[open]!.pair + 1
    } else i += 2
  }
  // chai ends in a property: `expect(x).to.be.true`.
  if (!matcherCalled && last)
    found.push({ ...base(at, [at, i]), matcher: last.word, subject, negated, ...uncalled(last.word) })
  if (found.length === 0)
    found.push({ ...base(at, [at, i]), matcher: 'nothing', subject, neverFails: 'it has no matcher' })
  return { assertions: found.map((each) => ({ ...each, span: [at, i] as Range })), end: i }
}

/** Index after `<Type, Arguments>`. */
export function afterTypes(unit: Unit, from: number): number {
  let depth = 0
  for (let i = from; i < Math.min(from + 60, unit.tokens.length); i++) {
    const { text } = unit.tokens[i]!
    if (text === '<') depth++
    else if (text === '>' && --depth === 0) return i + 1
    else if (text === ';' || text === '{') return from
  }
  return from
}

function matcherCall(
  unit: Unit,
  at: number,
  subject: string,
  word: string,
  open: number,
  negated: boolean,
): RawAssertion {
  const { tokens } = unit
  const args = listItems(tokens, open)
  // Gomega and RSpec take the matcher as an argument: `To(Equal(x))`.
  const first = args[0]
  if (/^(?:To|Should|ToNot|NotTo|ShouldNot)$/.test(word) && first && tokens[first[0]]!.kind === 'word') {
    const inner = tokens.slice(first[0], first[1]).findIndex((token) => is(token, '('))
    const start = first[0] + inner
    const expected = inner > 0 ? plain(tokens, [start + 1, tokens[start]!.pair]) : ''
    return {
      ...base(at, [at, open]),
      matcher: inner > 0 ? tokens[start - 1]!.text : tokens[first[0]]!.text,
      subject,
      expected,
      negated,
    }
  }
  return {
    ...base(at, [at, open]),
    matcher: word,
    subject,
    expected: args.map((arg) => plain(tokens, arg)).join(' , '),
    negated,
  }
}

/** Jest's matchers are functions: naming one without calling it asserts nothing. */
const uncalled = (word: string): Pick<RawAssertion, 'neverFails'> =>
  /^to[A-Z]/.test(word) ? { neverFails: 'its matcher is never called' } : {}

/** The assertions at a token, and where to continue reading. */
export type Found = { readonly assertions: readonly RawAssertion[]; readonly end: number } | undefined

/** Looks at one token; `floor` is the start of the test's body. */
export type Finder = (unit: Unit, i: number, floor: number) => Found

export const one = (assertion: RawAssertion): Found => ({ assertions: [assertion], end: assertion.span[1] })

/** A call of a function that may contain assertions. */
export function helperCall(unit: Unit, i: number, open: number): Found {
  const { tokens } = unit
  const end = tokens[open]!.pair + 1
  const name = tokens[i]!.text
  // Functions passed as arguments are read separately.
  const inner = findAt(tokens, [open + 1, end - 1], (token) => is(token, '{') || is(token, '=>') || is(token, '->'))
  return {
    assertions: [{ ...base(i, [i, end]), matcher: name, subject: plain(tokens, [open + 1, end - 1]), helper: name }],
    end: inner >= 0 ? open + 1 : end,
  }
}

/** A failure raised by hand: its subject is the condition of the nearest `if`. */
export function guard(unit: Unit, i: number, end: number): Found {
  const holders = ancestors(unit, i)
  const nearest = holders.find(({ kind }) => kind !== 'other' && kind !== 'object')
  const branch = nearest && (nearest.kind === 'if' || nearest.kind === 'else') ? nearest : undefined
  const subject = branch ? headCondition(unit, branch) : ''
  return { assertions: [{ ...base(i, [i, end]), matcher: 'guard', subject, negated: true }], end }
}

/** The condition in a block's head, without its keyword. */
export function headCondition(unit: Unit, block: Block): string {
  const { tokens, language } = unit
  let [from, to]: Range = block.head
  const semicolon = language === 'go' ? findAt(tokens, [from, to], (token) => is(token, ';')) : -1
  if (semicolon > 0) from = semicolon
  else {
    const keyword = findAt(tokens, [from, to], (token) =>
      /^(?:if|elif|elsif|elseif|while|unless|for|foreach|match|switch|case|when)$/.test(token.text),
    )
    if (keyword >= 0) from = keyword
  }
  from++
  const open = tokens[from]
  if (is(open, '(') && open!.pair === to - 1) {
    from++
    to--
  }
  const text = from < to ? plain(tokens, [from, to]) : ''
  if (block.kind === 'else') {
    const siblings = block.parent?.children ?? []
    const before = siblings[siblings.indexOf(block) - 1]
    return before?.kind === 'if' ? `not ( ${headCondition(unit, before)} )` : ''
  }
  return is(tokens[block.head[0]], 'unless') ? `not ( ${text} )` : text
}
