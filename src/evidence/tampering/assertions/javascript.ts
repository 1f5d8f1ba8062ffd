import { is, listItems, plain, type Range, stringContent } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import type { RawAssertion } from './assertion.ts'
import { afterTypes, chain, type Finder, type Found, guard, helperCall, one } from './call-forms.ts'
import { bare, base, receiverStart, xunit } from './forms.ts'

const TAP =
  /^(?:is|not|isNot|equal|equals|notEqual|deepEqual|notDeepEqual|same|notSame|strictSame|strictEqual|looseEqual|ok|notOk|true|false|truthy|falsy|throws|throwsAsync|notThrows|notThrowsAsync|doesNotThrow|rejects|resolves|resolveMatch|like|match|notMatch|regex|notRegex|has|snapshot|matchSnapshot|error|ifError|ifErr|type|hasStrict|deepLooseEqual|propEqual|propContains|assert|strictNotEqual|expectUncaughtException|equalsSnapshot)$/
const OWNERS = new Set(['t', 'tt', 'st', 'tap', 'assert', 'QUnit', 'qunit', 'is'])
const HELPER = /^(?:expect|assert|verify|ensure|check)(?:[A-Z_]\w*)$/

export const inJavaScript: Finder = (unit, i, floor) => {
  const found = assertionAt(unit, i, floor)
  const expected = expectedTypeError(unit, i)
  return expected ? { assertions: [expected, ...(found?.assertions ?? [])], end: found?.end ?? i + 1 } : found
}

const TYPE_TESTS = /['"](?:tsd|tstyche|expect-type)['"]|\bexpectTypeOf\b/

/** A comment before a line that must not compile. */
function expectedTypeError({ tokens, text }: Unit, i: number): RawAssertion | undefined {
  if (!/@ts.expect-error/.test(tokens[i]!.doc ?? '') || !TYPE_TESTS.test(text)) return undefined
  let end = i + 1
  while (end < tokens.length && !tokens[end]!.first) end++
  return { ...base(i, [i, end]), matcher: 'expectError', subject: plain(tokens, [i, end]) }
}

const assertionAt: Finder = (unit, i, floor) => {
  const { tokens } = unit
  const { text } = tokens[i]!
  const dotted = is(tokens[i - 1], '.') || is(tokens[i - 1], '?.')
  if (is(tokens[i - 1], 'function')) return undefined
  if (text === 'expect' || /^expect(?:TypeOf|Type)$/.test(text)) return expectation(unit, i, dotted)
  if (text === 'should') return should(unit, i, floor, dotted)
  if (/^(?:get|find)(?:All)?By[A-Z]\w*$/.test(text)) return query(unit, i, floor)
  if (!dotted && NAMED.test(text) && is(tokens[i + 1], '(') && tokens[i + 1]!.pair > 0 && namesAssert(unit, text))
    return one(xunit(unit, i, text, i + 1))
  if (text === 'throw' && tokens[i]!.kind === 'word') return guard(unit, i, i + 1)
  if (text === 'fail' && is(tokens[i + 1], '(') && tokens[i + 1]!.pair > 0)
    return guard(unit, i, tokens[i + 1]!.pair + 1)
  // console.assert prints a failure and continues.
  if (dotted && is(tokens[i - 2], 'console')) return undefined
  if (text === 'assert' || (OWNERS.has(text) && !dotted)) {
    const direct = assertCall(unit, i)
    if (direct) return direct
  }
  if (HELPER.test(text) && is(tokens[i + 1], '(') && tokens[i + 1]!.pair > 0) return helperCall(unit, i, i + 1)
  return undefined
}

const NAMED =
  /^(?:equal|strictEqual|deepEqual|deepStrictEqual|notEqual|notStrictEqual|notDeepStrictEqual|ok|throws|rejects|doesNotThrow|doesNotReject|match|ifError)$/

/** `import { strictEqual } from 'node:assert'`. */
const namesAssert = ({ text }: Unit, name: string) =>
  new RegExp(
    `(?:import|const)\\s*\\{[^}]*\\b${name}\\b[^}]*\\}\\s*(?:from|=\\s*require\\()\\s*['"](?:node:)?assert`,
  ).test(text)

/** Testing Library throws if nothing is found: `await screen.findByText('Saved')` as a statement is an assertion. */
function query(unit: Unit, i: number, floor: number): Found {
  const { tokens } = unit
  if (!is(tokens[i + 1], '(') || tokens[i + 1]!.pair < 0) return undefined
  const from = receiverStart(tokens, is(tokens[i - 1], '.') ? i - 1 : i, floor)
  const start = is(tokens[from - 1], 'await') ? from - 1 : from
  const end = tokens[i + 1]!.pair + 1
  const isStatement =
    (tokens[start]?.first === true || start === floor || is(tokens[start - 1], ';')) &&
    (tokens[end] === undefined || tokens[end]!.first || /^[;})]$/.test(tokens[end]!.text))
  if (!isStatement) return undefined
  return one({ ...base(i, [start, end]), matcher: 'toBeInTheDocument', subject: plain(tokens, [from, end]) })
}

/** `expect(x).not.toBe(y)`; `.expect(200)` of supertest; `expect.soft(x)`. */
function expectation(unit: Unit, i: number, dotted: boolean): Found {
  const { tokens } = unit
  let open = i + 1
  if (is(tokens[open], '.') && /^(?:soft|poll|element)$/.test(tokens[open + 1]?.text ?? '')) open += 2
  if (is(tokens[open], '<')) open = afterTypes(unit, open)
  if (!is(tokens[open], '(') || tokens[open]!.pair < 0) return undefined
  const args = listItems(tokens, open)
  if (dotted && !is(tokens[i - 2], 'chai')) {
    const expected = args.map((arg) => plain(tokens, arg)).join(' , ')
    return one({ ...base(i, [i, tokens[open]!.pair + 1]), matcher: 'response', subject: 'response', expected })
  }
  const subject = args[0] ? plain(tokens, args[0]) : ''
  // tsd compares the type of a value without a matcher.
  if (tokens[i]!.text === 'expectType' && !is(tokens[tokens[open]!.pair + 1], '.'))
    return one({
      ...base(i, [i, tokens[open]!.pair + 1]),
      matcher: 'expectType',
      subject,
      expected: plain(tokens, [i + 1, open]),
    })
  const { assertions, end } = chain(unit, i, subject.replace(/^await /, ''), tokens[open]!.pair + 1)
  const before = tokens[i - 1]?.text
  const awaited = before === 'await' || before === 'return' || before === '=>'
  return { assertions: assertions.map((each) => ({ ...each, awaited })), end: deferred(unit, open) ? open + 1 : end }
}

/** A function inside the brackets may contain assertions of its own. */
const deferred = ({ tokens }: Unit, open: number) =>
  tokens.slice(open, tokens[open]!.pair).some((token) => token.text === 'expect')

/** `x.should.equal(y)`, `cy.get(…).should('contain', y)`. */
function should(unit: Unit, i: number, floor: number, dotted: boolean): Found {
  const { tokens } = unit
  if (!dotted) return undefined
  const subject = plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1])
  const open = tokens[i + 1]
  if (!is(open, '(')) return chainFound(unit, i, subject, i + 1)
  if (open!.pair < 0) return undefined
  const args = listItems(tokens, i + 1)
  const first = args[0]
  const end = open!.pair + 1
  if (!first || tokens[first[0]]!.kind !== 'string')
    return { assertions: [{ ...base(i, [i, end]), matcher: 'should', subject }], end: i + 2 }
  const words = stringContent(tokens[first[0]]!.text).split('.')
  const expected = args
    .slice(1)
    .map((arg) => plain(tokens, arg))
    .join(' , ')
  return one({
    ...base(i, [i, end] as Range),
    matcher: words.at(-1)!,
    subject,
    expected,
    negated: words.includes('not'),
  })
}

function chainFound(unit: Unit, i: number, subject: string, from: number): Found {
  return is(unit.tokens[from], '.') ? chain(unit, i, subject, from) : undefined
}

/** `assert(x)`, `assert.equal(a, b)`, `t.is(a, b)`, `t.assert.equal(a, b)`. */
function assertCall(unit: Unit, i: number): Found {
  const { tokens } = unit
  const root = tokens[i]!.text
  if (root === 'assert' && is(tokens[i + 1], '(') && tokens[i + 1]!.pair > 0) {
    const args = listItems(tokens, i + 1)
    return args[0] ? one(bare(unit, i, args[0], [i, tokens[i + 1]!.pair + 1])) : undefined
  }
  let at = i + 1
  while (is(tokens[at], '.') && /^(?:strict|assert|async)$/.test(tokens[at + 1]?.text ?? '') && is(tokens[at + 2], '.'))
    at += 2
  const word = tokens[at + 1]
  if (!is(tokens[at], '.') || word?.kind !== 'word' || !is(tokens[at + 2], '(') || tokens[at + 2]!.pair < 0)
    return undefined
  if (word.text === 'fail') return guard(unit, i, tokens[at + 2]!.pair + 1)
  if (root !== 'assert' && !TAP.test(word.text)) return undefined
  const call = xunit(unit, i, word.text, at + 2)
  // `t.is(await t.throwsAsync(promise), cause)` asserts twice.
  const inner = tokens.slice(at + 3, call.span[1]).some(({ text }) => /^(?:throws|throwsAsync|rejects)$/.test(text))
  return inner ? { assertions: [call], end: at + 3 } : one(call)
}
