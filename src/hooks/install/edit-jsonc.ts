import { type Item, readJsonc, type Value } from './jsonc.ts'

/**
 * Adds a value as the last item of a list or object, and changes nothing else. In an empty container it is placed right after the
 * bracket; in containers we create, there is a space. So removing it restores the original text.
 */
export function insert(text: string, container: Value, key: string | undefined, data: unknown): string {
  const first = container.items[0]
  const last = container.items.at(-1)
  if (first === undefined || last === undefined) {
    const at = container.start + 1
    return splice(text, at, at, itemText(key, data, undefined))
  }
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const before = text.slice(0, first.start)
  const indent = /[\r\n]([ \t]*)$/.exec(before)?.[1]
  const afterLineComment = endsInLineComment(text.slice(last.end, container.inner))
  const broken = indent !== undefined
  const apart = broken ? `${newline}${indent}` : afterLineComment ? newline : ' '
  const layout = broken ? { newline, indent, unit: unitOf(text) } : undefined
  const item = `${apart}${itemText(key, data, layout)}`
  if (last.comma !== undefined) return splice(text, container.inner, container.inner, `${item},`)
  return splice(splice(text, container.inner, container.inner, item), last.end, last.end, ',')
}

/** Removes the item at a path, with containers that were created for it; undefined if nothing is left. */
export function takeOut(text: string, path: readonly (string | number)[]): string | undefined {
  const chain: { readonly container: Value; readonly item: Item; readonly index: number }[] = []
  let value = readJsonc(text)
  for (const step of path) {
    const index = typeof step === 'number' ? step : value.items.findIndex(({ key }) => key === step)
    const item = value.items[index]
    if (item === undefined) return text
    chain.push({ container: value, item, index })
    value = item.value
  }
  for (const { container, item, index } of chain.toReversed()) {
    if (container.items.length === 1) {
      const adjacent = item.start === container.start + 1
      if (adjacent || container.commented) return splice(text, item.start, (item.comma ?? item.end - 1) + 1, '')
      // The container was created for this item, so it is removed too.
      continue
    }
    const from = beforeOf(text, container, index)
    if (item.comma !== undefined) return splice(text, from, item.comma + 1, lineEndFor(text, container, index))
    const previous = container.items[index - 1]
    const without = splice(text, from, item.end, '')
    return previous?.comma === undefined ? without : splice(without, previous.comma, previous.comma + 1, '')
  }
  return undefined
}

/** The end of the token or comment before an item; the space after it belongs to the item. */
function beforeOf(text: string, container: Value, index: number): number {
  const { start } = container.items[index]!
  const space = /[ \t\r\n]*$/.exec(text.slice(0, start))?.[0].length ?? 0
  return Math.max(container.start + 1, start - space)
}

/** The text after the item must not become part of a comment. */
function lineEndFor(text: string, container: Value, index: number): string {
  const item = container.items[index]!
  const rest = text.slice(item.comma === undefined ? item.end : item.comma + 1)
  const before = text.slice(container.items[index - 1]?.end ?? container.start + 1, item.start)
  return endsInLineComment(before.trimEnd()) && !/^[ \t]*\r?\n/.test(rest) ? '\n' : ''
}

/** For the text between two items: space, comments and a comma. */
function endsInLineComment(between: string): boolean {
  let last = ''
  for (const [comment] of between.matchAll(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g)) last = comment
  return last.startsWith('//') && between.trimEnd().endsWith(last.trimEnd())
}

const splice = (text: string, from: number, to: number, by: string): string => text.slice(0, from) + by + text.slice(to)

interface Layout {
  readonly newline: string
  readonly indent: string
  readonly unit: string
}

/** The file's indentation step. */
function unitOf(text: string): string {
  return /^[^\r\n]*[{[][ \t]*\r?\n([ \t]+)/.exec(text)?.[1] ?? '  '
}

function itemText(key: string | undefined, data: unknown, layout: Layout | undefined): string {
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `
  return `${name}${layout === undefined ? oneLine(data) : lines(data, layout)}`
}

function lines(data: unknown, { newline, indent, unit }: Layout): string {
  return JSON.stringify(data, null, unit).split('\n').join(`${newline}${indent}`)
}

function oneLine(data: unknown): string {
  if (Array.isArray(data)) return data.length === 0 ? '[]' : `[ ${data.map(oneLine).join(', ')} ]`
  if (typeof data !== 'object' || data === null) return JSON.stringify(data)
  const members = Object.entries(data).map(([key, value]) => `${JSON.stringify(key)}: ${oneLine(value)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
