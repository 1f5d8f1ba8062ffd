import { printParseErrorCode, visit } from 'jsonc-parser'
import { InstallError } from './installation.ts'

/** One member of an object or element of a list, with its position. */
export interface Item {
  readonly key?: string
  readonly start: number
  readonly end: number
  /** The position of the comma after it, if there is one. */
  readonly comma?: number
  readonly value: Value
}

export interface Value {
  readonly kind: 'object' | 'array' | 'other'
  readonly start: number
  readonly end: number
  readonly items: readonly Item[]
  /** Where the last token or comment before the closing bracket ends. */
  readonly inner: number
  readonly commented: boolean
  /** The parsed value. */
  readonly data: unknown
}

const MAX_DEPTH = 100

/** Messages for the parser's error codes. */
const PROBLEMS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":" after a key',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "," or "}"',
  CloseBracketExpected: 'expected "," or "]"',
  EndOfFileExpected: 'unexpected text after the value',
}

/** A container that is still open. */
interface Open {
  readonly kind: 'object' | 'array'
  readonly start: number
  readonly items: Item[]
  key?: { readonly name: string; readonly start: number }
  inner: number
  commented: boolean
}

/** Reads JSON with comments and trailing commas, and keeps the positions. */
export function readJsonc(text: string): Value {
  const open: Open[] = []
  let root: Value | undefined
  const fail = (what: string, at: number): never => {
    throw new InstallError(`line ${text.slice(0, at).split('\n').length}: ${what}`)
  }
  const begin = (kind: Open['kind'], start: number): void => {
    if (open.length > MAX_DEPTH) fail('it is nested too deeply', start)
    open.push({ kind, start, items: [], inner: start + 1, commented: false })
  }
  const put = (value: Value): void => {
    const around = open.at(-1)
    if (around === undefined) root = value
    else if (around.key === undefined) around.items.push({ start: value.start, end: value.end, value })
    else around.items.push({ key: around.key.name, start: around.key.start, end: value.end, value })
    if (around !== undefined) around.inner = Math.max(around.inner, value.end)
  }
  const end = (offset: number): void => {
    const { kind, start, items, inner, commented } = open.pop()!
    const twice = items.find(({ key }, i) => key !== undefined && items.findIndex((item) => item.key === key) !== i)
    if (twice !== undefined) fail(`the key ${JSON.stringify(twice.key)} appears twice`, offset)
    const data =
      kind === 'array'
        ? items.map(({ value }) => value.data)
        : Object.fromEntries(items.map(({ key, value }) => [key, value.data]))
    put({ kind, start, end: offset + 1, items, inner, commented, data })
  }
  visit(
    text.replace(/^\uFEFF/, ' '),
    {
      onObjectBegin: (offset) => begin('object', offset),
      onArrayBegin: (offset) => begin('array', offset),
      onObjectProperty: (name, start) => {
        open.at(-1)!.key = { name, start }
      },
      onLiteralValue: (data, start, length) =>
        put({ kind: 'other', start, end: start + length, items: [], inner: start + length, commented: false, data }),
      onSeparator: (sign, comma) => {
        const around = open.at(-1)!
        if (sign !== ',') return
        around.items.push({ ...around.items.pop()!, comma })
        around.inner = Math.max(around.inner, comma + 1)
      },
      onComment: (offset, length) => {
        for (const each of open) each.commented = true
        const around = open.at(-1)
        if (around !== undefined) around.inner = Math.max(around.inner, offset + length)
      },
      onObjectEnd: end,
      onArrayEnd: end,
      onError: (code, offset) => {
        const name = root === undefined ? printParseErrorCode(code) : 'EndOfFileExpected'
        fail(PROBLEMS[name] ?? 'expected a value', offset)
      },
    },
    { allowTrailingComma: true },
  )
  return root ?? fail('expected a value', text.length)
}

export const memberOf = (value: Value, key: string): Item | undefined => value.items.find((item) => item.key === key)
