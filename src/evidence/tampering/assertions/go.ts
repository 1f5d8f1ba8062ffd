import { findAt, is, listItems, plain } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import { chain, type Finder, type Found, guard, helperCall, one } from './call-forms.ts'
import { base, xunit } from './forms.ts'

const FAILS = /^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/
const TESTING = new Set(['t', 'tb', 'b', 'f', 'tt', 'T', 'c'])
const TESTIFY = new Set(['assert', 'require', 'is', 'a', 'r', 's', 'suite', 'ts', 'must', 'check', 'assertions', 'req'])
const MATCHER =
  /^(?:Not)?(?:Equal|EqualValues|EqualError|EqualExportedValues|Same|Exactly|Nil|Empty|True|False|Contains|Subset|ElementsMatch|Len|Error|ErrorIs|ErrorAs|ErrorContains|NoError|Panics|PanicsWithValue|PanicsWithError|Panic|Greater|GreaterOrEqual|Less|LessOrEqual|InDelta|InDeltaSlice|InEpsilon|WithinDuration|Regexp|JSONEq|YAMLEq|Implements|IsType|FileExists|DirExists|Eventually|Never|Condition|Zero|HTTPSuccess|HTTPError|HTTPBodyContains|HTTPStatusCode|Positive|Negative|ObjectsAreEqual|DeepEqual|Assert|Check|Fail|FailNow|NilError|AssertExpectations|AssertCalled|AssertNumberOfCalls|AssertNotCalled)f?$/
const HELPER = /^(?:assert|check|verify|must|require|expect|test|compare|want|ensure|validate|eq|equal|ok|diff)/i

export const inGo: Finder = (unit, i, floor) => {
  const { tokens } = unit
  const { text } = tokens[i]!
  const open = i + 1
  if (!is(tokens[open], '(') || tokens[open]!.pair < 0 || is(tokens[i - 1], 'func')) return undefined
  const dotted = is(tokens[i - 1], '.')
  const owner = dotted ? tokens[i - 2]!.text : ''
  if (dotted && FAILS.test(text) && (TESTING.has(owner) || (is(tokens[i - 2], ')') && is(tokens[i - 4], 'T')))) {
    return guard(unit, i - 2, tokens[open]!.pair + 1)
  }
  if (text === 'panic' && !dotted) return guard(unit, i, tokens[open]!.pair + 1)
  if (
    dotted &&
    MATCHER.test(text) &&
    (TESTIFY.has(owner) || returnsAsserter(unit, i - 2) || /^(?:Assert|Check)/.test(text))
  )
    return testify(unit, i, open, floor)
  if (/^(?:Expect|Eventually|Consistently|Ω)$/.test(text) && is(tokens[tokens[open]!.pair + 1], '.')) {
    return chain(unit, i, plain(tokens, [open + 1, tokens[open]!.pair]), tokens[open]!.pair + 1)
  }
  const first = listItems(tokens, open)[0]
  const takesT = first !== undefined && first[1] - first[0] === 1 && TESTING.has(tokens[first[0]]!.text)
  return takesT && HELPER.test(text) ? helperCall(unit, i, open) : undefined
}

/** `s.Require().Equal(…)`, `assert.New(t).Equal(…)`. */
const returnsAsserter = ({ tokens }: Unit, close: number) =>
  is(tokens[close], ')') && /^(?:Require|Assert|New)$/.test(tokens[tokens[close]!.pair - 1]?.text ?? '')

/** `require.Equal(t, want, got)`, `s.NoError(err)`, `c.Assert(got, Equals, want)`. */
function testify(unit: Unit, i: number, open: number, _floor: number): Found {
  const { tokens } = unit
  const args = listItems(tokens, open)
  const name = tokens[i]!.text
  if (/^(?:Assert|Check)$/.test(name) && args.length >= 2 && is(tokens[i - 2], 'c')) {
    const [subject, checker, expected] = args.map((arg) => plain(tokens, arg))
    return one({
      ...base(i, [i, tokens[open]!.pair + 1]),
      matcher: checker!.split(' ').at(-1)!,
      subject: subject!,
      expected: expected ?? '',
      negated: /Not/.test(checker!),
    })
  }
  const takesT = args[0] && /^(?:t|tb|tt|b|suite \. T \( \)|s \. T \( \))$/.test(plain(tokens, args[0]))
  const raw = xunit(unit, i, name.replace(/f$/, ''), open, { skip: takesT ? 1 : 0 })
  // The function that must panic may contain assertions of its own.
  const inner = findAt(tokens, [open + 1, tokens[open]!.pair], (token) => is(token, '{')) >= 0
  return { assertions: [raw], end: inner ? open + 1 : raw.span[1] }
}
