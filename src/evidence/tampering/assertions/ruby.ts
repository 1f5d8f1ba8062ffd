import { findAt, is, listItems, plain, type Range, splitAt } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import { type Finder, type Found, guard, helperCall, one } from './call-forms.ts'
import { bare, base, receiverStart, sides } from './forms.ts'

/** RSpec, minitest, test-unit. */
export const inRuby: Finder = (unit, i, floor) => {
  const { tokens } = unit
  const { text } = tokens[i]!
  if (is(tokens[i - 1], 'def')) return undefined
  const dotted = is(tokens[i - 1], '.') || is(tokens[i - 1], '&.')
  if (text === 'expect' && !dotted) return expectation(unit, i)
  if (text === 'is_expected' && is(tokens[i + 1], '.')) return toMatcher(unit, i, 'subject', i + 1)
  if ((text === 'should' || text === 'should_not') && (dotted || tokens[i]!.first || i === floor)) {
    const subject = dotted ? plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1]) : 'subject'
    return matcherFrom(unit, i, subject, i + 1, text === 'should_not')
  }
  if (/^(?:must|wont)_\w+[?!]?$/.test(text) && dotted) {
    const subject = plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1])
    const [expected, end] = argumentsOf(unit, i)
    return one({ ...base(i, [i, end]), matcher: text, subject, expected, negated: text.startsWith('wont') })
  }
  if (/^(?:assert|refute)(?:_\w+)?[?!]?$/.test(text) && !dotted) return classic(unit, i)
  if (text === 'flunk' || (text === 'raise' && /^(?:RSpec|Minitest)$/.test(tokens[i + 1]?.text ?? '')))
    return guard(unit, i, i + 1)
  if (
    /^(?:expect|check|verify|ensure)_\w+$/.test(text) &&
    !dotted &&
    (is(tokens[i + 1], '(') ? tokens[i + 1]!.pair > 0 : tokens[i]!.first)
  ) {
    if (is(tokens[i + 1], '(')) return helperCall(unit, i, i + 1)
    const [expected, end] = argumentsOf(unit, i)
    return one({ ...base(i, [i, end]), matcher: text, subject: expected, helper: text })
  }
  return undefined
}

/** `expect(x).to eq(y)`, `expect { … }.to raise_error(E)`. */
function expectation(unit: Unit, i: number): Found {
  const { tokens } = unit
  const open = tokens[i + 1]
  if (!(is(open, '(') || is(open, '{')) || open!.pair < 0) {
    if (!is(open, 'do')) return undefined
    const end = findAt(tokens, [i + 2, tokens.length], (token, at) => is(token, 'end') && is(tokens[at + 1], '.'))
    return end < 0 ? undefined : toMatcher(unit, i, 'block', end + 1)
  }
  return toMatcher(unit, i, plain(tokens, [i + 2, open!.pair]), open!.pair + 1)
}

function toMatcher(unit: Unit, i: number, subject: string, dot: number): Found {
  const { tokens } = unit
  const word = tokens[dot + 1]?.text ?? ''
  if (!is(tokens[dot], '.'))
    return one({ ...base(i, [i, dot]), matcher: 'nothing', subject, neverFails: 'it has no matcher' })
  if (/^(?:must|wont)_/.test(word)) {
    const [expected, end] = argumentsOf(unit, dot + 1)
    return one({ ...base(i, [i, end]), matcher: word, subject, expected, negated: word.startsWith('wont') })
  }
  if (!/^(?:to|not_to|to_not)$/.test(word)) return undefined
  return matcherFrom(unit, i, subject, dot + 2, word !== 'to')
}

/** `eq(y)`, `be >= 3`, `have_attributes(a: 1).and be_valid`. */
function matcherFrom(unit: Unit, i: number, subject: string, from: number, negated: boolean): Found {
  const { tokens } = unit
  const bracket = is(tokens[from], '(') && tokens[from]!.pair > 0
  const [start, end]: Range = bracket ? [from + 1, tokens[from]!.pair] : [from, lineEnd(unit, from)]
  const after = bracket ? tokens[from]!.pair + 1 : end
  const name = tokens[start]?.text ?? 'nothing'
  const operator = tokens[start + 1]?.text ?? ''
  const compares = name === 'be' && /^(?:[<>]=?|==)$/.test(operator)
  const expected = plain(tokens, [start + (compares ? 2 : 1), end])
  return one({
    ...base(i, [i, after]),
    matcher: compares ? operator : name,
    subject,
    expected: expected.replace(/^\( (.*) \)$/, '$1'),
    negated,
  })
}

/** Arguments with or without brackets, and where they end. */
function argumentsOf(unit: Unit, word: number): [string, number] {
  const { tokens } = unit
  const open = tokens[word + 1]
  if (is(open, '(') && open!.pair > 0 && !open!.first) return [plain(tokens, [word + 2, open!.pair]), open!.pair + 1]
  const end = lineEnd(unit, word + 1)
  return [plain(tokens, [word + 1, end]), end]
}

function lineEnd({ tokens }: Unit, from: number): number {
  let i = from
  while (
    i < tokens.length &&
    !(tokens[i]!.first && i > from && !/^[.,&|)]/.test(tokens[i]!.text) && !/^[,(+|&=.]$/.test(tokens[i - 1]!.text))
  ) {
    if (is(tokens[i], '}') || is(tokens[i], ';') || is(tokens[i], ')') || is(tokens[i], 'end')) break
    if (is(tokens[i], 'if') || is(tokens[i], 'unless') || is(tokens[i], 'do')) break
    i = tokens[i]!.pair > i ? tokens[i]!.pair + 1 : i + 1
  }
  return i
}

/** `assert_equal expected, actual`, `refute_nil x`, `assert_raises(E) { … }`. */
function classic(unit: Unit, i: number): Found {
  const { tokens } = unit
  const name = tokens[i]!.text
  const open = tokens[i + 1]
  const bracket = is(open, '(') && open!.pair > 0 && open!.at === tokens[i]!.at + name.length
  const end = bracket ? open!.pair + 1 : lineEnd(unit, i + 1)
  const args = bracket ? listItems(tokens, i + 1) : splitAt(tokens, [i + 1, end], ',')
  const span: Range = [i, end]
  if (args.length === 0) return one({ ...base(i, span), matcher: name, subject: 'block' })
  if (name === 'assert' || name === 'refute') {
    const raw = bare(unit, i, args[0]!, span)
    return one(name === 'refute' ? { ...raw, negated: !raw.negated } : raw)
  }
  if (/raises|throws/.test(name))
    return {
      assertions: [
        { ...base(i, span), matcher: name, subject: 'block', expected: plain(tokens, [args[0]![0], args[0]![1]]) },
      ],
      end,
    }
  const texts = args.map((arg) => plain(tokens, arg))
  const negated = name.startsWith('refute')
  if (texts.length === 1) return one({ ...base(i, span), matcher: name, subject: texts[0]!, negated })
  const { subject, expected } = sides(texts[0]!, texts[1]!)
  return one({
    ...base(i, span),
    matcher: name,
    subject,
    expected: [expected, ...texts.slice(2).filter((text) => !text.startsWith('"'))].join(' , '),
    negated,
  })
}
