import { visit } from 'jsonc-parser'
import { findAt, inside, is, listItems, plain, type Range, type Token } from '../source/token.ts'
import { readUnit } from '../source/unit.ts'
import type { Setting } from '../types.ts'

/** JSON, with comments and trailing commas. What cannot be read gives what could be read before it. */
export function flattenJson(text: string): Setting[] {
  const settings: Setting[] = []
  /** The way to the current place: a name, or the index in a list. */
  const path: (string | number)[] = []
  const add = (value: string, line: number) => settings.push({ key: path.join('.'), value, line: line + 1 })
  /** The object or list that was opened last, until something is found in it. */
  let empty: number | undefined
  const begin = (first: string | number) => (_offset: number, _length: number, line: number) => {
    path.push(first)
    empty = line
  }
  const end = () => {
    path.pop()
    if (empty !== undefined && path.length > 0) add('', empty)
    empty = undefined
  }
  try {
    visit(
      text,
      {
        onObjectBegin: begin(''),
        onObjectProperty: (name) => {
          path[path.length - 1] = name
          empty = undefined
        },
        onObjectEnd: end,
        onArrayBegin: begin(0),
        onArrayEnd: end,
        onSeparator: (character) => {
          const last = path.at(-1)
          if (character === ',' && typeof last === 'number') path[path.length - 1] = last + 1
        },
        onLiteralValue: (value, _offset, _length, line) => {
          add(String(value), line)
          empty = undefined
        },
      },
      { allowTrailingComma: true },
    )
  } catch {
    // Nested deeper than the stack: no settings file.
  }
  return settings
}

/** The object literals of a settings file that is a program. */
export function flattenObjects(text: string): Setting[] {
  const { tokens } = readUnit(text, 'javascript')
  const settings: Setting[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (!is(token, '{') || token.pair < 0 || !isObject(tokens, i)) continue
    walkObject(tokens, i, '', settings)
    i = token.pair
  }
  return settings
}

/** A brace after an operator, an opening bracket or `return` holds a value, not statements. */
function isObject(tokens: readonly Token[], open: number): boolean {
  const before = tokens[open - 1]
  if (before === undefined) return true
  if (before.kind === 'word') return before.text === 'return' || before.text === 'default'
  return /^(?:[=([,:?]|=>|\|\||\?\?)$/.test(before.text) && !(before.text === '=>' && !looksLikeObject(tokens, open))
}

const looksLikeObject = (tokens: readonly Token[], open: number) => is(tokens[open + 2], ':')

function walkObject(tokens: readonly Token[], open: number, path: string, settings: Setting[]): void {
  for (const [from, to] of listItems(tokens, open)) {
    const key = tokens[from]!
    const colon = is(tokens[from + 1], ':')
    if (!colon || (key.kind !== 'word' && key.kind !== 'string' && key.kind !== 'number')) continue
    const name = key.kind === 'string' ? inside(key.text) : key.text
    walkValue(tokens, [from + 2, to], path === '' ? name : `${path}.${name}`, settings)
  }
}

function walkValue(tokens: readonly Token[], [from, to]: Range, path: string, settings: Setting[]): void {
  const first = tokens[from]
  if (!first) return
  const whole = first.pair === to - 1
  if (is(first, '{') && whole) {
    walkObject(tokens, from, path, settings)
    if (first.pair === from + 1) settings.push({ key: path, value: '', line: first.line })
  } else if (is(first, '[') && whole) {
    const items = listItems(tokens, from)
    items.forEach((item, i) => walkValue(tokens, item, `${path}.${i}`, settings))
    if (items.length === 0) settings.push({ key: path, value: '', line: first.line })
  } else {
    settings.push({
      key: path,
      value: to - from === 1 && first.kind === 'string' ? unescaped(inside(first.text)) : plain(tokens, [from, to]),
      line: first.line,
    })
    // A call may be given an object of settings: `defineProject({ … })`.
    const open = findAt(tokens, [from, to], (token) => is(token, '(') || is(token, '{'))
    if (open >= 0 && is(tokens[open], '(') && is(tokens[open + 1], '{')) walkObject(tokens, open + 1, path, settings)
  }
}

const unescaped = (text: string) => text.replace(/\\(["'\\/])/g, '$1').replace(/\\n/g, '\n')
