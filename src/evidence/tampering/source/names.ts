import type { Language } from '../../test-files.ts'
import { findAt, is, type Range, type Token } from './token.ts'

const FUNCTION_WORDS = new Set(['function', 'fn', 'func', 'fun', 'def'])
const NO_NAME = new Set(
  'if for while switch catch return new throw else match foreach using lock synchronized when await'.split(' '),
)

/** Name of the function that a head declares: empty when it has none, undefined when the head declares no function. */
export function functionNameOf(tokens: readonly Token[], head: Range, language: Language): string | undefined {
  const [from, to] = head
  const keyword = findAt(tokens, head, (token) => token.kind === 'word' && FUNCTION_WORDS.has(token.text))
  if (keyword >= 0) {
    let i = keyword + 1
    if (is(tokens[i], '*') || is(tokens[i], '&')) i++
    if (language === 'kotlin' && is(tokens[i], '<')) while (i < to && !is(tokens[i++], '>'));
    if (language === 'go' && is(tokens[i], '(') && tokens[i]!.pair > 0 && tokens[tokens[i]!.pair + 1]?.kind === 'word')
      i = tokens[i]!.pair + 1
    if (language === 'kotlin') while (i < to && is(tokens[i + 1], '.')) i += 2
    if (i < to && tokens[i]?.kind === 'word') return tokens[i]!.text
    return assignedName(tokens, head) ?? ''
  }
  const last = tokens[to - 1]
  if (is(last, '=>')) return assignedName(tokens, head) ?? ''
  if (language === 'rust' || language === 'go' || language === 'kotlin') return undefined
  return methodName(tokens, [from, to])
}

/** `const name = (…) =>`, `name: function`, `this.name = …`: the word that takes the value. */
function assignedName(tokens: readonly Token[], head: Range): string | undefined {
  const equals = findAt(tokens, head, (token) => is(token, '=') || is(token, ':'))
  if (equals <= head[0]) return undefined
  for (let i = equals - 1; i >= head[0]; i--) {
    if (is(tokens[i], ':')) continue
    if (tokens[i]!.kind === 'word') {
      const before = tokens[i - 1]
      if (is(before, ':') && tokens[i - 2]?.kind === 'word') return tokens[i - 2]!.text
      return tokens[i]!.text
    }
    return undefined
  }
  return undefined
}

/** `public static void name(…) throws X`: the word before the last list of parameters. */
function methodName(tokens: readonly Token[], [from, to]: Range): string | undefined {
  let open = -1
  for (let i = from; i < to; i++) {
    const token = tokens[i]!
    if (token.kind !== 'punct') continue
    if (token.text === '=' || token.text === '.' || token.text === '=>') return undefined
    if (token.text === '(' && open < 0 && tokens[i - 1]?.kind === 'word' && !isAttribute(tokens, i - 1, from)) open = i
    if ((token.text === '(' || token.text === '[') && token.pair > i) i = token.pair
  }
  if (open <= from) return undefined
  const name = tokens[open - 1]!
  if (
    NO_NAME.has(name.text) ||
    tokens.slice(from, open).some((token) => token.kind === 'word' && NO_NAME.has(token.text))
  )
    return undefined
  return name.text
}

/** `@Timeout(5) void x()`: the bracket belongs to an annotation. */
function isAttribute(tokens: readonly Token[], word: number, from: number): boolean {
  let i = word
  while (i - 2 >= from && is(tokens[i - 1], '.')) i -= 2
  return is(tokens[i - 1], '@')
}

const CLASS_WORDS = new Set('class struct interface trait impl mod module namespace object record enum'.split(' '))

export function classNameOf(tokens: readonly Token[], head: Range): string {
  const at = findAt(tokens, head, (token) => token.kind === 'word' && CLASS_WORDS.has(token.text))
  const next = tokens[at + 1]
  return next?.kind === 'word' && at + 1 < head[1] ? next.text : ''
}
