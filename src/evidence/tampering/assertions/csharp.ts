import { findAt, is, listItems, plain } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import { afterTypes, chain, type Finder, type Found, guard, helperCall, one } from './call-forms.ts'
import { base, receiverStart, xunit } from './forms.ts'

const CONTAINERS = /^(?:Multiple|EnterMultipleScope|Scope)$/

/** xUnit, NUnit, MSTest, FluentAssertions, Shouldly, Moq, NSubstitute. */
export const inCSharp: Finder = (unit, i, floor) => {
  const { tokens } = unit
  const { text } = tokens[i]!
  const dotted = is(tokens[i - 1], '.') || is(tokens[i - 1], '?.')
  if (/Assert$/.test(text) && is(tokens[i + 1], '.')) return classic(unit, i)
  if (text === 'Should' && dotted && is(tokens[i + 1], '(') && tokens[i + 1]!.pair === i + 2) {
    return chain(unit, i, plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1]), i + 3)
  }
  let open = i + 1
  if (is(tokens[open], '<')) open = afterTypes(unit, open)
  if (!is(tokens[open], '(') || tokens[open]!.pair < 0) return undefined
  const end = tokens[open]!.pair + 1
  const inside = plain(tokens, [open + 1, end - 1])
  if (/^Should[A-Z]\w*$/.test(text) && dotted) {
    const subject = plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1])
    return one({ ...base(i, [i, end]), matcher: text, subject, expected: inside, negated: /Not/.test(text) })
  }
  if (
    /^(?:Verify|VerifyAll|VerifyNoOtherCalls|Received|DidNotReceive|MustHaveHappened\w*)$/.test(text) &&
    (dotted || text === 'Verify')
  ) {
    const subject = dotted ? plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1]) : inside
    return one({ ...base(i, [i, end]), matcher: text, subject, expected: inside })
  }
  return /^(?:Assert|Verify|Check|Expect|Ensure)[A-Z]\w*$/.test(text) && !isDeclaration(unit, i)
    ? helperCall(unit, i, open)
    : undefined
}

const isDeclaration = ({ tokens }: Unit, i: number) =>
  tokens[i - 1]?.kind === 'word' && !/^(?:await|return)$/.test(tokens[i - 1]!.text)

/** `Assert.Equal(expected, actual)`, `Assert.That(actual, Is.EqualTo(expected))`. */
function classic(unit: Unit, i: number): Found {
  const { tokens } = unit
  let word = i + 2
  if (is(tokens[word + 1], '.') && is(tokens[word], 'That')) word += 2
  let open = word + 1
  const types = is(tokens[open], '<') ? open : -1
  if (types > 0) open = afterTypes(unit, open)
  const name = tokens[word]!.text
  if (!is(tokens[open], '(') || tokens[open]!.pair < 0 || CONTAINERS.test(name)) return undefined
  const end = tokens[open]!.pair + 1
  if (name === 'Fail') return guard(unit, i, end)
  // These end the test without a result. They are read as skips.
  if (/^(?:Ignore|Inconclusive|Pass|Skip)$/.test(name)) return { assertions: [], end }
  if (
    /^(?:Throws|ThrowsAny|ThrowsAsync|ThrowsAnyAsync|ThrowsException|ThrowsExceptionAsync|ThrowsExactly|Catch|CatchAsync)$/.test(
      name,
    )
  ) {
    const args = listItems(tokens, open).map((arg) => plain(tokens, arg))
    const expected = types > 0 ? plain(tokens, [types, open]) : (args[0] ?? '')
    const inner = findAt(tokens, [open + 1, end - 1], (token) => is(token, '{')) >= 0
    return {
      assertions: [{ ...base(i, [i, end]), matcher: 'throws', subject: args.at(-1) ?? '', expected }],
      end: inner ? open + 1 : end,
    }
  }
  const raw = xunit(unit, i, name, open, { span: [i, end] })
  return one(types > 0 && raw.expected === '' ? { ...raw, expected: plain(tokens, [types, open]) } : raw)
}
