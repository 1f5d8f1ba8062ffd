import { is, listItems } from '../source/tokens-and-blocks.ts'
import { type Finder, guard, helperCall, one } from './call-forms.ts'
import { bare, xunit } from './forms.ts'

export const inRust: Finder = (unit, i) => {
  const { tokens } = unit
  const { text } = tokens[i]!
  const open = i + 2
  if (
    is(tokens[i + 1], '!') &&
    (is(tokens[open], '(') || is(tokens[open], '[') || is(tokens[open], '{')) &&
    tokens[open]!.pair > 0
  ) {
    const span = [i, tokens[open]!.pair + 1] as const
    if (/^(?:panic|unreachable|todo|unimplemented|bail)$/.test(text)) return guard(unit, i, span[1])
    if (/^(?:debug_|prop_|tk_)?assert$/.test(text)) {
      const first = listItems(tokens, open)[0]
      return first ? one(bare(unit, i, first, span)) : undefined
    }
    if (/^(?:debug_|prop_)?assert_\w+$/.test(text))
      return one(xunit(unit, i, text.replace(/^(?:debug_|prop_)?assert_/, ''), open, { span }))
    // A macro of the project that compares two values.
    if (/^eq\w*$/.test(text)) return one(xunit(unit, i, 'eq', open, { span }))
    return undefined
  }
  const called = is(tokens[i + 1], '(') && tokens[i + 1]!.pair > 0
  return called && /^(?:assert|check|verify|expect|ensure)_\w+$/.test(text) && !is(tokens[i - 1], 'fn')
    ? helperCall(unit, i, i + 1)
    : undefined
}
