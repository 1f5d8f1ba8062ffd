import type { Language } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { findAt, is, listItems, type Range, splitAt, type Token } from '../tampering/source/tokens-and-blocks.ts'
import type { Unit } from '../tampering/source/unit.ts'

/** Functions that compare their two arguments, whatever their order. */
const COMPARE_TWO =
  /^(?:equals?|strictEqual|deepEqual|deepStrictEqual|is|same|assertEquals?|assertSame|assert_equal|assert_eq|Equal|AreEqual)$/
/** Matchers that compare with their only argument. */
const COMPARE_ONE = /^(?:toBe|toEqual|toStrictEqual|equals?|eql|eq)$/
const NEGATED = /^(?:not|never|not_to|to_not|toNot|ne|resolves|rejects)$/

interface Sides {
  readonly actual: Range
  readonly expected: Range
}

/**
 * Variants of an assertion that an honest one must refuse: another expected value, and another value instead of the code's result.
 * None unless the statement compares a result with a literal.
 */
export function refusedVariants(unit: Unit, statement: Range, random: (most: number) => number): readonly string[] {
  const sides = sidesOf(unit, statement)
  if (sides === undefined) return []
  const { tokens, language, text } = unit
  const at = findLiteral(tokens, sides.expected, language)
  const altered = at < 0 ? undefined : otherLiteral(tokens[at]!, language, random)
  if (altered === undefined) return []
  const source = (changed: Range, by: string) => {
    const [first, last] = [tokens[changed[0]]!, tokens[changed[1] - 1]!]
    const end = endOf(tokens[statement[1] - 1]!)
    return text.slice(tokens[statement[0]]!.at, first.at) + by + text.slice(endOf(last), end)
  }
  const isWhole = sides.expected[1] - sides.expected[0] === 1
  return [source([at, at + 1], altered), ...(isWhole ? [source(sides.actual, altered)] : [])]
}

export const endOf = ({ at, text }: Token): number => at + text.length

function sidesOf(unit: Unit, [from, to]: Range): Sides | undefined {
  const { tokens, language } = unit
  if (findAt(tokens, [from, to], ({ text }) => NEGATED.test(text)) >= 0) return undefined
  if (language === 'python' && is(tokens[from], 'assert')) return comparedBy(tokens, [from + 1, to])
  for (let i = from; i < to; i++) {
    const token = tokens[i]!
    if (is(token, '(') && token.pair > i && i > from && is(tokens[i - 1], 'expect')) {
      const found = chained(unit, [i + 1, token.pair], [token.pair + 1, to])
      return found
    }
    if (token.kind === 'word' && COMPARE_TWO.test(token.text)) return called(unit, i, to)
    if (is(token, '{') || is(token, '=>') || is(token, '=')) return undefined
  }
  return undefined
}

/** `result == literal`, with nothing else but a message. */
function comparedBy(tokens: readonly Token[], range: Range): Sides | undefined {
  const [expression] = splitAt(tokens, range, ',')
  if (expression === undefined) return undefined
  const joined = findAt(tokens, expression, ({ text }) => /^(?:and|or|not|if|!=|<|>|in|is)$/.test(text))
  const parts = splitAt(tokens, expression, '==')
  return joined >= 0 || parts.length !== 2 ? undefined : literalSide(tokens, parts[0]!, parts[1]!)
}

/** `expect(result).toBe(literal)`, `expect(result).to eq literal`. */
function chained({ tokens }: Unit, actual: Range, [from, to]: Range): Sides | undefined {
  const at = findAt(tokens, [from, to], ({ kind, text }) => kind === 'word' && COMPARE_ONE.test(text))
  if (at < 0) return undefined
  const [expected, ...more] = argumentsAt(tokens, at, to)
  return expected === undefined || more.length > 0 ? undefined : { actual, expected }
}

/** `assert.equal(result, literal)`, `assert_equal literal, result`, `assert.Equal(t, literal, result)`. */
function called({ tokens, language }: Unit, at: number, to: number): Sides | undefined {
  const args = argumentsAt(tokens, at, to)
  if (language === 'go') args.shift()
  const [first, second, third] = args
  // A third argument may be a tolerance.
  if (first === undefined || second === undefined || (third && tokens[third[0]]!.kind !== 'string')) return undefined
  return literalSide(tokens, first, second)
}

function argumentsAt(tokens: readonly Token[], at: number, to: number): Range[] {
  const open = is(tokens[at + 1], '!') ? at + 2 : at + 1
  if (!is(tokens[open], '(')) return splitAt(tokens, [at + 1, to], ',')
  // Anything after the call would be another matcher.
  return tokens[open]!.pair === to - 1 ? listItems(tokens, open) : []
}

function literalSide(tokens: readonly Token[], left: Range, right: Range): Sides | undefined {
  const [one, other] = [isLiteral(tokens, left), isLiteral(tokens, right)]
  if (one === other) return undefined
  return one ? { actual: right, expected: left } : { actual: left, expected: right }
}

const isLiteral = (tokens: readonly Token[], [from, to]: Range) =>
  tokens
    .slice(from, to)
    .every(({ kind, text }, i) =>
      kind === 'word'
        ? /^(?:true|false|True|False)$/.test(text) || is(tokens[from + i + 1], ':')
        : kind !== 'punct' || /^[[\]{},:]$|^=>$/.test(text),
    )

/** The first number, string or truth value of a literal that is not a key. */
function findLiteral(tokens: readonly Token[], [from, to]: Range, language: Language): number {
  if (!isLiteral(tokens, [from, to])) return -1
  for (let i = from; i < to; i++) {
    const { kind, text } = tokens[i]!
    if (is(tokens[i + 1], ':') || is(tokens[i + 1], '=>') || kind === 'punct') continue
    return kind === 'regex' || otherLiteral(tokens[i]!, language, () => 0) === undefined || text === '' ? -1 : i
  }
  return -1
}

const OPPOSITE: Readonly<Record<string, string>> = { true: 'false', false: 'true', True: 'False', False: 'True' }
const ONE_CHARACTER = new Set<Language>(['java', 'kotlin', 'csharp', 'go', 'rust'])

/** Another literal of the same type. A smaller digit, so that it also fits into small types. */
function otherLiteral({ kind, text }: Token, language: Language, random: (most: number) => number): string | undefined {
  if (kind === 'word') return OPPOSITE[text]
  if (kind === 'number') {
    const parts = /^(\d[\d_]{0,13}\.?\d{0,6}?)(\d)(\D{0,5})$|^()(\d)(\D{0,5})$/.exec(text)
    if (parts === null || /^0[xXbBoO]|e/.test(text)) return undefined
    const [start, digit, end] = [parts[1] ?? '', Number(parts[2] ?? parts[5]), parts[3] ?? parts[6] ?? '']
    return `${start}${digit === 0 ? 1 + random(9) : random(digit)}${end}`
  }
  if (kind !== 'string' || /\$\{|#\{|\{[^}]*\}/.test(text) || /^[fF]["']/.test(text)) return undefined
  const quotes = /("""|'''|["'`])(#*)$/.exec(text)
  const letters = lettersOf(random)
  if (quotes === null) return /^:\w+$/.test(text) ? `${text}_${letters}` : undefined
  if (quotes[1] === "'" && ONE_CHARACTER.has(language)) return undefined
  const end = text.length - quotes[0].length
  return `${text.slice(0, end)}${letters}${text.slice(end)}`
}

/** A word that product code cannot predict. */
export function lettersOf(random: (most: number) => number): string {
  return Array.from({ length: 5 }, () => String.fromCharCode(97 + random(26))).join('')
}
