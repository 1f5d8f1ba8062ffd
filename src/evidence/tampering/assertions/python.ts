import { findAt, is, listItems, plain, type Range } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import { chain, type Finder, type Found, guard, helperCall, one } from './call-forms.ts'
import { bare, base, receiverStart, xunit } from './forms.ts'

const RAISES =
  /^(?:raises|warns|deprecated_call|assertRaises|assertRaisesRegex|assertWarns|assertWarnsRegex|assertLogs|assertNoLogs|RaisesGroup)$/
const HELPER = /^_?(?:check|verify|expect|ensure|validate)_\w+$/

export const inPython: Finder = (unit, i, floor) => {
  const { tokens } = unit
  const { text } = tokens[i]!
  const open = i + 1
  const called = is(tokens[open], '(') && tokens[open]!.pair > 0
  if (text === 'assert' && !called) return statement(unit, i)
  if (text === 'assert' && tokens[i]!.kind === 'word') return statement(unit, i)
  if (is(tokens[i - 1], 'def')) return undefined
  if (text === 'raise' && /^AssertionError$/.test(tokens[open]?.text ?? '')) return guard(unit, i, open + 1)
  if (!called) return undefined
  if (text === 'fail' && is(tokens[i - 1], '.')) return guard(unit, i, tokens[open]!.pair + 1)
  if (RAISES.test(text)) return raises(unit, i, open)
  if (text === 'assert_that') return assertThat(unit, i, open)
  if (/^assert[A-Z]/.test(text) || /^fail(?:If|Unless)/.test(text)) return one(xunit(unit, i, text, open))
  if (/^assert_/.test(text)) {
    if (!is(tokens[i - 1], '.')) return one(xunit(unit, i, text, open))
    const receiver = plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1])
    const module = /testing$|^np |^torch|^pd /.test(receiver)
    if (module) return one(xunit(unit, i, text, open))
    return one({
      ...base(i, [i, tokens[open]!.pair + 1]),
      matcher: text,
      subject: receiver,
      expected: plain(tokens, [open + 1, tokens[open]!.pair]),
    })
  }
  if (text === 'expect' && is(tokens[tokens[open]!.pair + 1], '.'))
    return chain(unit, i, plain(tokens, [open + 1, tokens[open]!.pair]), tokens[open]!.pair + 1)
  return HELPER.test(text) && isStatement(unit, i, floor) ? helperCall(unit, i, open) : undefined
}

/** A helper that asserts returns nothing. If its result is assigned or passed on, or a coroutine starts, nothing is asserted. */
function isStatement({ tokens }: Unit, i: number, floor: number): boolean {
  const start = is(tokens[i - 1], '.') ? receiverStart(tokens, i - 1, floor) : i
  if (/^(?:asyncio|anyio|trio|curio)$/.test(tokens[start]?.text ?? '')) return false
  const before = is(tokens[start - 1], 'await') ? tokens[start - 1] : tokens[start]
  return before?.first === true || start === floor || is(tokens[start - 1], ';') || is(tokens[start - 1], 'with')
}

/** `assert expression, message`. */
function statement(unit: Unit, i: number): Found {
  const { tokens } = unit
  const end = lineEnd(unit, i)
  const comma = findAt(tokens, [i + 1, end], (token) => is(token, ','))
  const expression: Range = [i + 1, comma < 0 ? end : comma]
  const span: Range = [i, end]
  const open = tokens[i + 1]
  if (
    is(open, '(') &&
    open!.pair === expression[1] - 1 &&
    findAt(tokens, [i + 2, open!.pair], (token) => is(token, ',')) >= 0
  ) {
    return one({
      ...base(i, span),
      matcher: 'assert',
      subject: plain(tokens, expression),
      neverFails: 'a tuple is always truthy',
    })
  }
  return one(bare(unit, i, expression, span))
}

function lineEnd({ tokens }: Unit, from: number): number {
  let i = from + 1
  while (i < tokens.length && !tokens[i]!.first && !is(tokens[i], ';')) {
    const { pair } = tokens[i]!
    i = pair > i ? pair + 1 : i + 1
  }
  return Math.min(i, tokens.length)
}

/** `pytest.raises(Error, match="…")`: the error type is expected, the code in the block is the subject. */
function raises(unit: Unit, i: number, open: number): Found {
  const { tokens } = unit
  const args = listItems(tokens, open).map((arg) => plain(tokens, arg))
  const callable = args.find((arg, n) => n > 0 && !/^\w+ = /.test(arg) && !/Regex$/.test(tokens[i]!.text)) ?? ''
  const expected = args.filter((arg) => arg !== callable).join(' , ')
  return {
    assertions: [
      { ...base(i, [i, tokens[open]!.pair + 1]), matcher: 'raises', subject: callable || 'block', expected },
    ],
    end: tokens[open]!.pair + 1,
  }
}

/** `assert_that(x).is_equal_to(y)` and `assert_that(x, equal_to(y))`. */
function assertThat(unit: Unit, i: number, open: number): Found {
  const { tokens } = unit
  const after = tokens[open]!.pair + 1
  const args = listItems(tokens, open)
  if (is(tokens[after], '.') && args[0]) return chain(unit, i, plain(tokens, args[0]), after)
  return one(xunit(unit, i, 'that', open))
}
