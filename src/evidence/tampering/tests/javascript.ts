import {
  type BoundTestFunction,
  boundTestFunctions,
} from '../../../../packages/exitgate/src/code/bound-test-functions.ts'
import { findAt, is, listItems, plain, type Range, stringContent, type Token } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import { bodySkips, modifierMarkers, optionMarkers, prefixMarkers } from './javascript-markers.ts'
import type { Marker, TestCase } from './model.ts'
import { rowsIn } from './tables.ts'

const ROOT =
  /^(?:[xf]?(?:it|test|specify|describe|context|suite|fdescribe)|iit|ddescribe|(?:it|test|describe)(?:[A-Z_]\w*))$/

/** Properties of `test` and `describe` that declare no tests. */
const NO_TEST = new Set(
  'step use extend beforeEach afterEach beforeAll afterAll before after setTimeout info expect configure slow timeout mock assert plan end name length bail'.split(
    ' ',
  ),
)

const GROUP = /^[xfd]?(?:describe|context|suite)/

export function readJavaScript(unit: Unit): TestCase[] {
  const { tokens } = unit
  const tests: TestCase[] = []
  const aliases = aliasesOf(tokens)
  for (const [name, bound] of boundTestFunctions(unit.text))
    if (!aliases.has(name) && !OWNERS.has(name)) aliases.set(name, { ...bound, modifiers: [], markers: () => [] })
  const groups: { name: string; end: number; markers: readonly Marker[]; rows: readonly string[] }[] = []
  for (let i = 0; i < tokens.length; i++) {
    while (groups.length > 0 && groups.at(-1)!.end <= i) groups.pop()
    const token = tokens[i]!
    if (token.kind !== 'word' || !(ROOT.test(token.text) || aliases.has(token.text))) continue
    const call = callAt(tokens, i)
    if (!call) continue
    const alias = aliases.get(call.root)
    if (alias?.isImported && token.column > 0) continue
    const root = alias?.root ?? call.root
    const words = [...(alias?.modifiers ?? []), ...call.modifiers.map(({ word }) => word)]
    if (words.some((word) => NO_TEST.has(word))) continue
    const args = listItems(tokens, call.open)
    const shape = shapeOf(tokens, args)
    const isGroup = GROUP.test(root) || words.includes('describe') || words.includes('module')
    if (!shape || (!isGroup && shape.body === undefined && args.length > 1 && !shape.runs)) continue
    const markers = [
      ...prefixMarkers(root, token),
      ...modifierMarkers(tokens, i, call.modifiers),
      ...optionMarkers(tokens, args),
      ...(alias?.markers(token.line) ?? []),
    ]
    if (!isGroup && !shape.runs && !words.includes('todo'))
      markers.push({ kind: 'skip', text: `${token.text}(…) without a body`, line: token.line })
    const inherited = groups.flatMap((group) => group.markers)
    const rows = call.modifiers.flatMap(({ word, args: list }) =>
      (word === 'each' || word === 'for') && list ? rowsIn(unit, list) : [],
    )
    if (isGroup) {
      const own = shape.body ? bodySkips(tokens, shape.body) : []
      groups.push({ name: shape.name, end: call.end, markers: [...markers, ...own], rows })
      continue
    }
    const all = [...inherited, ...markers, ...(shape.body ? bodySkips(tokens, shape.body) : [])]
    const table = [...groups.flatMap((group) => group.rows), ...rows]
    tests.push({
      kind: 'test',
      name: alias?.title?.replace(/\$\{[^}]*\}/, () => shape.name) ?? shape.name,
      groups: [...(alias?.group === undefined ? [] : [alias.group]), ...groups.map(({ name }) => name)],
      line: token.line,
      span: [i, call.end],
      ...(shape.body && { body: shape.body }),
      ...(shape.macro !== undefined && { macro: shape.macro }),
      markers: all,
      ...(table.length > 0 && { rows: table }),
    })
  }
  return tests
}

interface Alias extends BoundTestFunction {
  readonly modifiers: readonly string[]
  markers(line: number): readonly Marker[]
}

/** An alias has at most this many tokens. */
const LONG = 30

/** `const maybe = it.skip` and `const onLinux = linux ? it : it.skip`: other names for functions that declare tests. */
function aliasesOf(tokens: readonly Token[]): Map<string, Alias> {
  const aliases = new Map<string, Alias>()
  for (let i = 0; i + 3 < tokens.length; i++) {
    if (!/^(?:const|let|var)$/.test(tokens[i]!.text) || tokens[i + 1]!.kind !== 'word' || !is(tokens[i + 2], '='))
      continue
    const end = statementEnd(tokens, i + 3)
    if (end - i > LONG) continue
    const value = plain(tokens, [i + 3, end])
    const question = findAt(tokens, [i + 3, end], (token) => is(token, '?'))
    const alias = question < 0 ? plainAlias(value) : conditionalAlias(value, plain(tokens, [i + 3, question]))
    if (alias && alias.root !== tokens[i + 1]!.text) aliases.set(tokens[i + 1]!.text, alias)
    else if (alias && alias.modifiers.length > 0) aliases.set(tokens[i + 1]!.text, alias)
  }
  return aliases
}

function statementEnd(tokens: readonly Token[], from: number): number {
  const end = findAt(
    tokens,
    [from, Math.min(tokens.length, from + LONG)],
    (token, i) => is(token, ';') || (i > from && token.first && !/^[.?:]/.test(token.text)),
  )
  return end < 0 ? from + LONG : end
}

const CHAIN = /^((?:it|test|describe|context|suite|specify)) ?((?:\. \w+ ?)*)$/

function plainAlias(value: string): Alias | undefined {
  const match = CHAIN.exec(value)
  if (!match) return undefined
  const modifiers = match[2]!.split(/[\s.]+/).filter((word) => word !== '')
  const markers = (line: number) =>
    modifiers.flatMap((word): Marker[] =>
      word === 'skip' || word === 'todo' || word === 'fixme'
        ? [{ kind: 'skip', text: value.replaceAll(' ', ''), line }]
        : word === 'only'
          ? [{ kind: 'focus', text: value.replaceAll(' ', ''), line }]
          : [],
    )
  return { root: match[1]!, modifiers, markers }
}

function conditionalAlias(value: string, condition: string): Alias | undefined {
  const match = /\? (.+) : (.+)$/.exec(value)
  if (!match) return undefined
  const [yes, no] = [plainAlias(match[1]!.trim()), plainAlias(match[2]!.trim())]
  if (!yes || !no) return undefined
  const skipsWhen = yes.modifiers.includes('skip')
    ? condition
    : no.modifiers.includes('skip')
      ? `! ( ${condition} )`
      : undefined
  return {
    root: yes.root,
    modifiers: [],
    markers: (line) => (skipsWhen === undefined ? [] : [{ kind: 'skip', text: value, line, condition: skipsWhen }]),
  }
}

interface Call {
  readonly root: string
  readonly modifiers: readonly { readonly word: string; readonly args?: Range }[]
  readonly open: number
  readonly end: number
}

/** Objects whose `test` method declares a test. On other objects, it belongs to a regular expression. */
const OWNERS = new Set(['t', 'tt', 'st', 'tap', 'Deno', 'QUnit', 'node', 'Mocha', 'suite'])

/** `it.skip.each(table)('name', …)`: the words, their arguments, and the brackets of the declaring call. */
function callAt(tokens: readonly Token[], start: number): Call | undefined {
  const before = tokens[start - 1]
  if (is(before, 'function') || is(before, 'class')) return undefined
  if ((is(before, '.') || is(before, '?.')) && !OWNERS.has(tokens[start - 2]?.text ?? '')) return undefined
  const modifiers: { word: string; args?: Range }[] = []
  for (let i = start + 1; i < tokens.length; ) {
    const token = tokens[i]!
    if (is(token, '.') && tokens[i + 1]?.kind === 'word') {
      modifiers.push({ word: tokens[i + 1]!.text })
      i += 2
    } else if (token.kind === 'string' && token.text.startsWith('`') && modifiers.length > 0) {
      modifiers.push({ ...modifiers.pop()!, args: [i, i + 1] })
      i++
    } else if (is(token, '<')) {
      // Skips type arguments up to the bracket of the call.
      const open = findAt(tokens, [i, Math.min(tokens.length, i + 60)], (each) => is(each, '('))
      if (open < 0) return undefined
      i = open
    } else if (is(token, '(') && token.pair > i) {
      const after = tokens[token.pair + 1]
      const again = after !== undefined && !after.first && (is(after, '(') || after.text.startsWith('`'))
      if (!again) return { root: tokens[start]!.text, modifiers, open: i, end: token.pair + 1 }
      modifiers.push({ ...(modifiers.pop() ?? { word: tokens[start]!.text }), args: [i + 1, token.pair] })
      i = token.pair + 1
    } else return undefined
  }
  return undefined
}

/** Name and body of a declaring call; undefined if the arguments don't declare a test. */
function shapeOf(
  tokens: readonly Token[],
  args: readonly Range[],
): { name: string; body?: Range; macro?: string; runs: boolean } | undefined {
  const first = args[0]
  if (!first) return undefined
  const macro = macroIn(tokens, args)
  if (macro) return { name: titleOf(tokens, first), ...macro, runs: true }
  const body = args.map((arg) => functionBody(tokens, arg)).find((found) => found !== undefined)
  const token = tokens[first[0]]!
  if (token.kind === 'string' && (body || args.length === 1 || namesFunction(tokens, args.at(-1)!))) {
    return { name: titleOf(tokens, first), ...(body && { body }), runs: body !== undefined || args.length > 1 }
  }
  if (!body) return undefined
  const named = /^(?:async )?function (\w+)/.exec(plain(tokens, [first[0], first[0] + 3]))
  if (named) return { name: named[1]!, body, runs: true }
  if (is(token, '{')) return { name: namedOption(tokens, first) ?? plain(tokens, first).slice(0, 60), body, runs: true }
  if (args.length < 2) return undefined
  return { name: titleOf(tokens, first), body, runs: true }
}

/** A named function between the title and its arguments, as in `test('title', macro, argument)`. */
function macroIn(tokens: readonly Token[], args: readonly Range[]): { macro: string; body: Range } | undefined {
  const [title, code] = args
  if (!title || !code || tokens[title[0]]!.kind !== 'string' || code[1] - code[0] !== 1) return undefined
  const token = tokens[code[0]]!
  return token.kind === 'word' && !/^(?:undefined|null|true|false|function|async)$/.test(token.text)
    ? { macro: token.text, body: [code[0], args.at(-1)![1]] }
    : undefined
}

/** A title that is put together reads like a template: `adds ${n}`. */
function titleOf(tokens: readonly Token[], [from, to]: Range): string {
  const only = to - from === 1 ? tokens[from]! : undefined
  if (only?.kind === 'string') return stringContent(only.text)
  let title = ''
  let isText = true
  for (let i = from; i < to; i++) {
    const end = findAt(tokens, [i, to], (token) => is(token, '+'))
    const part = tokens.slice(i, end < 0 ? to : end)
    const isString = part.length === 1 && part[0]!.kind === 'string'
    if (!isString && part.some(({ text }) => /^[?:{}]$/.test(text))) isText = false
    title += isString ? stringContent(part[0]!.text) : `\${${part.map(({ text }) => text).join('')}}`
    i = end < 0 ? to : end
  }
  return isText && /\p{L}{2}/u.test(title.replace(/\$\{[^}]*\}/g, '')) ? title : plain(tokens, [from, to])
}

/** The body of a function argument, also inside a wrapper call or an options object. */
export function functionBody(tokens: readonly Token[], [from, to]: Range): Range | undefined {
  const arrow = findAt(tokens, [from, to], (token) => is(token, '=>'))
  if (arrow > 0) {
    const open = tokens[arrow + 1]
    return is(open, '{') && open!.pair > 0 ? [arrow + 2, open!.pair] : [arrow + 1, to]
  }
  const keyword = findAt(tokens, [from, to], (token) => is(token, 'function'))
  if (keyword >= 0) {
    const open = findAt(tokens, [keyword, to], (token) => is(token, '{'))
    return open > 0 && tokens[open]!.pair > 0 ? [open + 1, tokens[open]!.pair] : undefined
  }
  const bracket = findAt(tokens, [from, to], (token) => is(token, '(') || is(token, '{'))
  if (bracket < 0 || tokens[bracket]!.pair < 0) return undefined
  if (is(tokens[bracket], '(') && is(tokens[tokens[bracket]!.pair + 1], '{')) {
    const open = tokens[bracket]!.pair + 1
    return tokens[open]!.pair > 0 ? [open + 1, tokens[open]!.pair] : undefined
  }
  return functionBody(tokens, [bracket + 1, tokens[bracket]!.pair])
}

const namesFunction = (tokens: readonly Token[], [from, to]: Range) =>
  (to - from === 1 && tokens[from]!.kind === 'word') || is(tokens[to - 1], ')')

function namedOption(tokens: readonly Token[], [from, to]: Range): string | undefined {
  const at = findAt(tokens, [from + 1, to], (token, i) => is(token, 'name') && is(tokens[i + 1], ':'))
  return at > 0 && tokens[at + 2]?.kind === 'string' ? stringContent(tokens[at + 2]!.text) : undefined
}
