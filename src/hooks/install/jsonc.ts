import { InstallError } from './installation.ts'

/** One member of an object or element of a list, and where it stands. */
export interface Item {
  readonly key?: string
  readonly start: number
  readonly end: number
  /** Where the comma behind it stands; undefined when there is none. */
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
  /** What it says, comments and commas aside. */
  readonly data: unknown
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y
const MAX_DEPTH = 100

/** Reads JSON as editors allow it, with comments and commas before a closing bracket, and keeps where everything stands. */
export function readJsonc(text: string): Value {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let commentEnd = -1

  const fail = (what: string): never => {
    const before = text.slice(0, at)
    throw new InstallError(`line ${before.split('\n').length}: ${what}`)
  }
  const skip = (): void => {
    for (;;) {
      const space = /[ \t\r\n]*/y
      space.lastIndex = at
      at += space.exec(text)?.[0].length ?? 0
      const comment = /\/\/[^\n\r]*|\/\*[\s\S]*?\*\//y
      comment.lastIndex = at
      const found = comment.exec(text)?.[0].length ?? 0
      if (found === 0) return
      at += found
      commentEnd = at
    }
  }
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const value = (depth: number): Value => {
    if (depth > MAX_DEPTH) return fail('it is nested too deeply')
    const start = at
    const open = text[at]
    if (open === '{' || open === '[') return container(open === '{' ? 'object' : 'array', depth)
    const plain = take(open === '"' ? STRING : PLAIN)
    if (plain === undefined) return fail('a value is expected')
    return { kind: 'other', start, end: at, items: [], inner: at, commented: false, data: JSON.parse(plain) }
  }
  const container = (kind: 'object' | 'array', depth: number): Value => {
    const start = at
    const close = kind === 'object' ? '}' : ']'
    const items: Item[] = []
    let inner = ++at
    const comments = commentEnd
    skip()
    while (text[at] !== close) {
      const item = itemOf(kind, depth)
      inner = at
      skip()
      const comma = text[at] === ',' ? at++ : undefined
      if (comma === undefined && text[at] !== close) fail(`"," or "${close}" is expected`)
      if (comma !== undefined) inner = at
      items.push(comma === undefined ? item : { ...item, comma })
      skip()
    }
    const commented = commentEnd > Math.max(comments, start)
    inner = Math.max(inner, commentEnd > start ? commentEnd : 0)
    at++
    return { kind, start, end: at, items, inner, commented, data: dataOf(kind, items) }
  }
  const itemOf = (kind: 'object' | 'array', depth: number): Item => {
    const start = at
    if (kind === 'array') {
      const element = value(depth + 1)
      return { start, end: element.end, value: element }
    }
    const raw = take(STRING)
    if (raw === undefined) return fail('a key in double quotes is expected')
    skip()
    if (text[at] !== ':') fail('":" is expected after a key')
    at++
    skip()
    const member = value(depth + 1)
    return { key: JSON.parse(raw), start, end: member.end, value: member }
  }
  skip()
  const root = value(0)
  skip()
  if (at < text.length) fail('nothing may follow the value')
  return root

  function dataOf(kind: 'object' | 'array', items: readonly Item[]): unknown {
    if (kind === 'array') return items.map((item) => item.value.data)
    const twice = items.find((item, i) => items.findIndex(({ key }) => key === item.key) !== i)
    if (twice !== undefined) fail(`the key ${JSON.stringify(twice.key)} stands twice`)
    return Object.fromEntries(items.map((item) => [item.key, item.value.data]))
  }
}

export const memberOf = (value: Value, key: string): Item | undefined => value.items.find((item) => item.key === key)
