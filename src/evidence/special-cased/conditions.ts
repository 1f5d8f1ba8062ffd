import { AND, COMPARISONS, CONTAINED, EQUAL, OR } from './kinds.ts'
import { type Call, callOf, type Known, type Literal, literalOf } from './literal.ts'
import { namedChildren, type SyntaxNode } from './node.ts'

/** A value that the program compares something with. */
export interface Key extends Literal {
  /** What it is compared with, if that is written next to it: the name of a parameter, for example. */
  readonly subject?: string
}

/** Values that all have to match. */
export type Conjunction = readonly Key[]

const MOST_ALTERNATIVES = 64

/** The values that a condition compares with, one list for each way in which it can be true. */
export function conjunctionsOf(node: SyntaxNode, known: Known): readonly Conjunction[] {
  if (/^parenthesized/.test(node.type)) return namedChildren(node).flatMap((each) => conjunctionsOf(each, known))
  const call = callOf(node)
  if (call !== undefined) return comparedByCall(call, known)
  if (!COMPARISONS.has(node.type)) return []
  const operators = node.children
    .filter(({ field, named }) => !named || field === 'operators' || field === 'operator')
    .map(({ text }) => text)
  const sides = namedChildren(node)
  const parts = () => sides.map((each) => conjunctionsOf(each, known))
  if (operators.some((each) => OR.has(each))) return parts().flat().slice(0, MOST_ALTERNATIVES)
  if (operators.some((each) => AND.has(each))) return parts().reduce(both, [])
  if (operators.length === 1 && CONTAINED.has(operators[0]!)) return elementsOf(sides[1], sides[0]?.text, known)
  return operators.length > 0 && operators.every((each) => EQUAL.has(each)) ? compared(sides, known) : []
}

/** Two literals compare nothing. */
function compared(sides: readonly SyntaxNode[], known: Known): readonly Conjunction[] {
  const literals = sides.map((side) => literalOf(side, known))
  const one = literals.find((each) => each !== undefined)
  const subject = sides.find((_, at) => literals[at] === undefined)?.text
  return one === undefined || subject === undefined ? [] : [[{ ...one, subject }]]
}

const both = (left: readonly Conjunction[], right: readonly Conjunction[]): readonly Conjunction[] =>
  left.length === 0
    ? right
    : right.length === 0
      ? left
      : left.flatMap((a) => right.map((b) => [...a, ...b])).slice(0, MOST_ALTERNATIVES)

function elementsOf(list: SyntaxNode | undefined, subject: string | undefined, known: Known): readonly Conjunction[] {
  const literal = list === undefined ? undefined : literalOf(list, known)
  if (literal?.kind !== 'list') return []
  return literal.parts.slice(0, MOST_ALTERNATIVES).map((part) => [subject === undefined ? part : { ...part, subject }])
}

function comparedByCall({ name, receiver, args }: Call, known: Known): readonly Conjunction[] {
  const parts = [...(receiver === undefined ? [] : [receiver]), ...args]
  if (/equal|^eql\?$|^same$|^deepEqual$/i.test(name))
    return compared(
      parts.filter(({ type }) => type !== 'identifier' || parts.length <= 2),
      known,
    )
  if (/^(?:includes?\??|contains|has|in_array|member\?|containsKey)$/.test(name)) {
    const value = parts.find((each) => literalOf(each, known) === undefined)?.text
    return parts.flatMap((each) => elementsOf(each, value, known))
  }
  return []
}
