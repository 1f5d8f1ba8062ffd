import { kotlinFunction } from '../source/kotlin.ts'
import { findAt, is, type Range } from '../source/token.ts'
import { type Block, below, type Unit } from '../source/unit.ts'

/** `fun name() = expression`: functions of Kotlin whose body is no block. */
export function expressionBodies(unit: Unit): Block[] {
  const { tokens } = unit
  if (unit.language !== 'kotlin') return []
  const holders = [unit.root, ...below(unit.root)].filter(({ kind }) => kind === 'class' || kind === 'file')
  return holders.flatMap((holder) => {
    const found: Block[] = []
    let start = holder.body[0]
    for (let i = holder.body[0]; i < holder.body[1]; i++) {
      const token = tokens[i]!
      if (is(token, ';') || is(token, '}')) start = i + 1
      else if (token.pair > i) i = token.pair
      else if (is(token, '=')) {
        const head: Range = [declarationStart(unit, start, i), i]
        const name = kotlinFunction(tokens, head)
        const end = expressionEnd(unit, i + 1, holder.body[1])
        if (name && is(tokens[i - 1], ')'))
          found.push({ kind: 'function', head, body: [i + 1, end], name, parent: holder, kids: [] })
        i = end - 1
        start = end
      }
      if (token.pair > -1 && is(tokens[i], '}')) start = i + 1
    }
    return found
  })
}

/** Annotations before the declaration are no part of its head. */
function declarationStart({ tokens }: Unit, from: number, to: number): number {
  let start = from
  while (start < to && is(tokens[start], '@')) {
    start += 2
    while (is(tokens[start], '.')) start += 2
    if (is(tokens[start], '(') && tokens[start]!.pair > 0) start = tokens[start]!.pair + 1
  }
  return start
}

function expressionEnd({ tokens }: Unit, from: number, limit: number): number {
  const end = findAt(tokens, [from, limit], (token, i) => i > from && token.first && !/^[.?:)&|+=-]/.test(token.text))
  return end < 0 ? limit : end
}
