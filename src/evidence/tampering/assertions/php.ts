import { findAt, is, listItems, plain } from '../source/tokens-and-blocks.ts'
import { chain, type Finder, guard, helperCall, one } from './call-forms.ts'
import { bare, base, receiverStart, xunit } from './forms.ts'

/** PHPUnit, Pest, Laravel's responses, Mockery. */
export const inPhp: Finder = (unit, i, floor) => {
  const { tokens } = unit
  const { text } = tokens[i]!
  const open = i + 1
  if (is(tokens[i - 1], 'function') || !is(tokens[open], '(') || tokens[open]!.pair < 0) {
    // `$line ?? throw …` only wants a value to be there.
    const isGuard = text === 'throw' && tokens[i]!.kind === 'word' && !is(tokens[i - 1], '??')
    const found = isGuard ? guard(unit, i, i + 1) : undefined
    return found && statesType(found.assertions[0]!.subject) ? undefined : found
  }
  const arrow = is(tokens[i - 1], '->') || is(tokens[i - 1], '?->')
  const owner = arrow || is(tokens[i - 1], '::') ? (tokens[i - 2]?.text ?? '') : ''
  const end = tokens[open]!.pair + 1
  const args = listItems(tokens, open)
  if (text === 'fail' && /^(?:\$this|self|static|Assert)$/.test(owner)) return guard(unit, i, end)
  if (text === 'expect' && owner === '') return args[0] ? chain(unit, i, plain(tokens, args[0]), end) : undefined
  // PHP's own assert often only states a type for static analysis.
  if (text === 'assert' && owner === '' && statesType(plain(tokens, [open + 1, end - 1])) && ASSERTS.test(unit.text))
    return undefined
  if (text === 'assert') return args[0] ? one(bare(unit, i, args[0], [i, end])) : undefined
  if (/^expect(?:Exception|Deprecation|Warning|Notice|Error|Output)/.test(text)) {
    return one({ ...base(i, [i, end]), matcher: text, subject: 'test', expected: plain(tokens, [open + 1, end - 1]) })
  }
  if (/^(?:expects|shouldReceive|shouldHaveReceived)$/.test(text) && arrow) {
    const subject = plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1])
    return one({ ...base(i, [i, end]), matcher: text, subject, expected: plain(tokens, [open + 1, end - 1]) })
  }
  if (!/^assert[A-Z_]\w*$/.test(text))
    return /^(?:verify|check|ensure)[A-Z]\w*$/.test(text) && arrow ? helperCall(unit, i, open) : undefined
  if (/^(?:\$this|self|static|Assert|PHPUnit)$/.test(owner) || owner === '') return one(xunit(unit, i, text, open))
  // Responses and pages have assertion methods of their own.
  const subject = plain(tokens, [receiverStart(tokens, i - 1, floor), i - 1])
  const inner = findAt(tokens, [open + 1, end - 1], (token) => is(token, '{')) >= 0
  return {
    assertions: [{ ...base(i, [i, end]), matcher: text, subject, expected: plain(tokens, [open + 1, end - 1]) }],
    end: inner ? open + 1 : end,
  }
}

const ASSERTS = /(?:->|::) ?assert[A-Z]|\bexpect\(/
const statesType = (text: string) =>
  /^! is_\w+ \( \S+ \)$|^is_\w+ \( [^,]* \)$|^\S+ (?:-> \S+ )*instanceof [\w\\ ]+$|^\S+ (?:-> \S+ )*!== (?:false|null)$/.test(
    text,
  )
