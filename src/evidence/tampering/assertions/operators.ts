import { findAt, is, plain, type Range, type Token } from '../source/token.ts'

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
const JOINS = new Set(['&&', '||', 'and', 'or'])

export interface Comparison {
  readonly operator: string
  readonly left: string
  readonly right: string
  readonly negated: boolean
}

/** `a == b`, `x not in y`, `p is None` at the top of an expression; undefined when it is no single comparison. */
export function comparisonIn(tokens: readonly Token[], range: Range): Comparison | undefined {
  const [from, to] = unwrapped(tokens, range)
  if (findAt(tokens, [from, to], (token) => JOINS.has(token.text) && token.kind !== 'string') >= 0) return undefined
  const at = findAt(tokens, [from, to], (token, i) => {
    if (token.kind === 'string' || token.kind === 'regex' || !COMPARISONS.has(token.text) || i === from) return false
    // `List<String>`: a type argument is glued to its word.
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

/** A range without the brackets around all of it. */
export function unwrapped(tokens: readonly Token[], [from, to]: Range): Range {
  const open = tokens[from]
  return is(open, '(') && open!.pair === to - 1 ? unwrapped(tokens, [from + 1, to - 1]) : [from, to]
}
