import { findAt, is, listItems, plain, type Range, splitAt, type Token } from '../source/tokens-and-blocks.ts'
import type { Marker } from './model.ts'

const WORDS: Readonly<Record<string, Marker['kind']>> = {
  skip: 'skip',
  todo: 'skip',
  fixme: 'skip',
  ignore: 'skip',
  fails: 'inverted',
  failing: 'inverted',
  fail: 'inverted',
  only: 'focus',
}

/** `xit`, `fdescribe`: the first letter decides. */
export function prefixMarkers(root: string, token: Token): Marker[] {
  if (/^x(?:it|test|describe|context|specify|suite)/.test(root)) return [{ kind: 'skip', text: root, line: token.line }]
  if (/^(?:f(?:it|test|describe|context|specify)$|iit$|ddescribe$)/.test(root))
    return [{ kind: 'focus', text: root, line: token.line }]
  return []
}

/** `.skip`, `.only`, `.skipIf(condition)` between the word and its call. */
export function modifierMarkers(
  tokens: readonly Token[],
  start: number,
  modifiers: readonly { readonly word: string; readonly args?: Range }[],
): Marker[] {
  const { line, text: root } = tokens[start]!
  return modifiers.flatMap(({ word, args }): Marker[] => {
    const text = `${root}.${word}`
    const kind = WORDS[word]
    if (kind) return [{ kind, text, line }]
    if (!args) return []
    const condition = plain(tokens, args)
    if (/^skip(?:If|When)$/i.test(word)) return [{ kind: 'skip', text: `${text}(${condition})`, line, condition }]
    if (/^(?:run|only)If$/i.test(word) || word === 'if')
      return [{ kind: 'skip', text: `${text}(${condition})`, line, condition: not(condition) }]
    if (/^(?:it|test|describe)(?:If|When|On)$/.test(word))
      return [{ kind: 'skip', text: `${word}(${condition})`, line, condition: not(condition) }]
    return []
  })
}

const not = (condition: string) => `! ( ${condition} )`

/** `{ skip: true }` among the arguments. */
export function optionMarkers(tokens: readonly Token[], args: readonly Range[]): Marker[] {
  return args.flatMap(([from, to]): Marker[] => {
    if (!is(tokens[from], '{') || tokens[from]!.pair !== to - 1) return []
    return listItems(tokens, from).flatMap((item): Marker[] => {
      const key = tokens[item[0]]!
      const kind = is(tokens[item[0] + 1], ':') ? WORDS[key.text] : undefined
      if (!kind || key.text === 'fail') return []
      const value = plain(tokens, [item[0] + 2, item[1]])
      if (value === 'false' || value === 'undefined' || value === 'null') return []
      const constant = value === 'true' || /^"/.test(value)
      return [{ kind, text: `${key.text}: ${value}`, line: key.line, ...(!constant && { condition: value }) }]
    })
  })
}

const SKIPPERS = new Set(['test', 'it', 'this', 't', 'ctx', 'context', 'tt', 'describe'])

/** `this.skip()`, `test.fixme(condition)`, `pending()` as statements in a body. */
export function bodySkips(tokens: readonly Token[], body: Range): Marker[] {
  const markers: Marker[] = []
  findAt(tokens, body, (token, i) => {
    const called = calledAt(tokens, i)
    if (called) markers.push(...skipCall(tokens, token, called.word, called.open))
    return false
  })
  return markers
}

function calledAt(tokens: readonly Token[], i: number): { word: string; open: number } | undefined {
  const token = tokens[i]!
  if (token.kind !== 'word') return undefined
  if (token.text === 'pending' && is(tokens[i + 1], '(') && !is(tokens[i - 1], '.'))
    return { word: 'skip', open: i + 1 }
  if (!SKIPPERS.has(token.text) || !is(tokens[i + 1], '.') || !is(tokens[i + 3], '(')) return undefined
  const word = tokens[i + 2]!.text
  if (is(tokens[i - 1], '.') && !is(tokens[i - 2], 'this')) return undefined
  return word in WORDS && word !== 'only' && word !== 'ignore' ? { word, open: i + 3 } : undefined
}

function skipCall(tokens: readonly Token[], token: Token, word: string, open: number): Marker[] {
  const args = listItems(tokens, open)
  const marker = {
    kind: WORDS[word]!,
    text: plain(tokens, [open - 3 < 0 ? 0 : open - 3, (tokens[open]!.pair ?? open) + 1]),
    line: token.line,
  }
  const first = args[0]
  // tap's `t.fail("message")` is an assertion. Only Playwright's form inverts a test.
  if (word === 'fail' && token.text !== 'test') return []
  if (!first) return [marker]
  const text = plain(tokens, first)
  const string = tokens[first[0]]!.kind === 'string'
  // `test.skip('name', function)` declares a test, which is read elsewhere.
  if (string && args.length > 1) return []
  if (string || text === 'true') return [marker]
  const arrow = splitAt(tokens, first, '=>')
  return text === 'false' ? [] : [{ ...marker, condition: arrow.length > 1 ? plain(tokens, arrow.at(-1)!) : text }]
}
