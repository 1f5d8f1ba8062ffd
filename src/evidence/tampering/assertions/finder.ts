import { findAt, is, plain, type Range } from '../source/token.ts'
import { around, type Block, type Unit } from '../source/unit.ts'
import { base } from './forms.ts'
import type { RawAssertion } from './model.ts'

/** What stands at a token: assertions, and where reading goes on. */
export type Found = { readonly assertions: readonly RawAssertion[]; readonly end: number } | undefined
/** Looks at one token; `floor` is where the test's body begins. */
export type Finder = (unit: Unit, i: number, floor: number) => Found

export const one = (assertion: RawAssertion): Found => ({ assertions: [assertion], end: assertion.span[1] })

/** A call of something that asserts elsewhere, or may. */
export function helperCall(unit: Unit, i: number, open: number): Found {
  const { tokens } = unit
  const end = tokens[open]!.pair + 1
  const name = tokens[i]!.text
  // Functions given as arguments are read on their own.
  const inner = findAt(tokens, [open + 1, end - 1], (token) => is(token, '{') || is(token, '=>') || is(token, '->'))
  return {
    assertions: [{ ...base(i, [i, end]), matcher: name, subject: plain(tokens, [open + 1, end - 1]), helper: name }],
    end: inner >= 0 ? open + 1 : end,
  }
}

/** A failure that is asked for by hand: its subject is what the nearest `if` asks. */
export function guard(unit: Unit, i: number, end: number): Found {
  const holders = around(unit, i)
  const nearest = holders.find(({ kind }) => kind !== 'other' && kind !== 'object')
  const asked = nearest && (nearest.kind === 'if' || nearest.kind === 'else') ? nearest : undefined
  const subject = asked ? headCondition(unit, asked) : ''
  return { assertions: [{ ...base(i, [i, end]), matcher: 'guard', subject, negated: true }], end }
}

/** What a block's head asks, without its keyword. */
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
    const siblings = block.parent?.kids ?? []
    const before = siblings[siblings.indexOf(block) - 1]
    return before?.kind === 'if' ? `not ( ${headCondition(unit, before)} )` : ''
  }
  return is(tokens[block.head[0]], 'unless') ? `not ( ${text} )` : text
}
