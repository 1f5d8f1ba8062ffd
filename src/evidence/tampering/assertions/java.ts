import { findAt, is, listItems, plain, type Range } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import { afterTypes, chain, type Finder, type Found, guard, helperCall, one } from './call-forms.ts'
import { bare, base, receiverStart, xunit } from './forms.ts'

const CONTAINERS = /^(?:assertAll|assertSoftly|expect|assertTimeout|assertTimeoutPreemptively|shouldNotThrowAny)$/
const INFIX = /^should\w+$/

/** Java and Kotlin: JUnit, TestNG, AssertJ, Hamcrest, Truth, Mockito, MockK, Kotest. */
export const inJava: Finder = (unit, i, floor) => {
  const { tokens, language } = unit
  const { text } = tokens[i]!
  if (is(tokens[i - 1], 'fun') || is(tokens[i - 1], 'void')) return undefined
  let open = i + 1
  if (is(tokens[open], '<')) open = afterTypes(unit, open)
  const called = is(tokens[open], '(') && tokens[open]!.pair > 0
  if (text === 'assert' && !called) return keyword(unit, i)
  if (text === 'assert' && called) {
    const first = listItems(tokens, open)[0]
    return first ? one(bare(unit, i, first, [i, tokens[open]!.pair + 1])) : undefined
  }
  if (language === 'kotlin' && INFIX.test(text) && !called) return infix(unit, i, floor)
  if (
    language === 'kotlin' &&
    /^(?:assertFails\w*|shouldThrow\w*|verify\w*|coVerify\w*)$/.test(text) &&
    (is(tokens[open], '{') || (called && is(tokens[tokens[open]!.pair + 1], '{')))
  )
    return trailing(unit, i, open)
  if (!called) return undefined
  if (CONTAINERS.test(text)) return undefined
  if (/^Assertion(?:FailedError|Error)$/.test(text) && is(tokens[i - 1], 'new'))
    return guard(unit, i, tokens[open]!.pair + 1)
  if (text === 'fail') return guard(unit, i, tokens[open]!.pair + 1)
  if (
    /^(?:assertThat\w*|assertWithMessage|then|expectThat)$/.test(text) &&
    is(tokens[tokens[open]!.pair + 1], '.') &&
    (text !== 'then' || !is(tokens[i - 1], '.'))
  )
    return fluent(unit, i, open)
  if (text === 'verify' && is(tokens[tokens[open]!.pair + 1], '.')) return verification(unit, i, open)
  if (/^assert[A-Z]\w*$|^assertThat$/.test(text)) {
    const raw = xunit(unit, i, text, open)
    return {
      assertions: [raw],
      end: findAt(tokens, [open + 1, tokens[open]!.pair], (token) => is(token, '->')) >= 0 ? open + 1 : raw.span[1],
    }
  }
  if (
    /^(?:andExpect\w*|expectStatus|expectBody|expectHeader|expectNext\w*|expectError\w*|verifyComplete|expectComplete|expectMessage)$/.test(
      text,
    ) &&
    is(tokens[i - 1], '.')
  ) {
    return {
      assertions: [
        {
          ...base(i, [i, tokens[open]!.pair + 1]),
          matcher: text,
          subject: 'response',
          expected: plain(tokens, [open + 1, tokens[open]!.pair]),
        },
      ],
      end: tokens[open]!.pair + 1,
    }
  }
  if (language === 'kotlin' && INFIX.test(text) && is(tokens[i - 1], '.')) {
    const subject = plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1])
    return one({
      ...base(i, [i, tokens[open]!.pair + 1]),
      matcher: text,
      subject,
      expected: plain(tokens, [open + 1, tokens[open]!.pair]),
      negated: /Not/.test(text),
    })
  }
  return /^(?:verify|check|expect|ensure|validate)[A-Z]\w*$/.test(text) ? helperCall(unit, i, open) : undefined
}

/** Java's own `assert condition : message;` */
function keyword(unit: Unit, i: number): Found {
  const { tokens } = unit
  const end = findAt(
    tokens,
    [i + 1, tokens.length],
    (token, at) => is(token, ';') || is(token, ':') || (token.first && at > i + 1),
  )
  return end < 0 ? undefined : one(bare(unit, i, [i + 1, end], [i, end]))
}

/** Kotest: `subject shouldBe expected`. */
function infix(unit: Unit, i: number, floor: number): Found {
  const { tokens } = unit
  let from = i - 1
  while (from > floor && !tokens[from]!.first && !is(tokens[from - 1], '{') && !is(tokens[from - 1], ';'))
    from = tokens[from]!.pair >= 0 && tokens[from]!.pair < from ? tokens[from]!.pair : from - 1
  let end = i + 1
  while (end < tokens.length && !tokens[end]!.first && !is(tokens[end], '}') && !is(tokens[end], ')'))
    end = tokens[end]!.pair > end ? tokens[end]!.pair + 1 : end + 1
  const subject = plain(tokens, [from, i])
  return one({
    ...base(i, [i, end] as Range),
    matcher: tokens[i]!.text,
    subject,
    expected: plain(tokens, [i + 1, end]),
    negated: /Not/.test(tokens[i]!.text),
  })
}

/** `assertFailsWith<Error> { … }`, `verify { mock.call() }`. */
function trailing(unit: Unit, i: number, open: number): Found {
  const { tokens } = unit
  const brace = is(tokens[open], '{') ? open : tokens[open]!.pair + 1
  const end = tokens[brace]!.pair > 0 ? tokens[brace]!.pair + 1 : brace + 1
  const subject = plain(tokens, [brace + 1, end - 1])
  return {
    assertions: [{ ...base(i, [i, end]), matcher: tokens[i]!.text, subject, expected: plain(tokens, [i + 1, brace]) }],
    end: brace + 1,
  }
}

function fluent(unit: Unit, i: number, open: number): Found {
  const { tokens } = unit
  // Truth takes the message first: `assertWithMessage("…").that(x).isEqualTo(y)`.
  const that = tokens[open]!.pair + 2
  if (
    /^assertWithMessage$/.test(tokens[i]!.text) &&
    is(tokens[that], 'that') &&
    is(tokens[that + 1], '(') &&
    tokens[that + 1]!.pair > 0
  )
    return fluent(unit, that, that + 1)
  const args = listItems(tokens, open)
  return chain(unit, i, args.map((arg) => plain(tokens, arg)).join(' , '), tokens[open]!.pair + 1)
}

/** `verify(mock, times(2)).send(eq("a"))`. */
function verification(unit: Unit, i: number, open: number): Found {
  const { tokens } = unit
  const call = tokens[open]!.pair + 2
  const brackets = tokens[call + 1]
  const end = is(brackets, '(') && brackets!.pair > 0 ? brackets!.pair + 1 : call + 1
  const subject = `${plain(tokens, [open + 1, tokens[open]!.pair])} . ${tokens[call]?.text ?? ''}`
  return one({
    ...base(i, [i, end]),
    matcher: 'verify',
    subject,
    expected: plain(tokens, [call + 1, end]),
    negated: /\b(?:never|noInteractions)\b/.test(subject),
  })
}
