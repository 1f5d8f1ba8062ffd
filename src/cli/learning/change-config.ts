import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isScalar, parseDocument, type YAMLMap } from 'yaml'
import type { Found } from '../../config/find.ts'
import { insert } from '../../hooks/install/edit-jsonc.ts'
import { readJsonc } from '../../hooks/install/jsonc.ts'
import type { Suggestion } from '../../learning/suggest.ts'
import { InputError } from '../errors.ts'

/** A configuration file before and after a change. */
export interface Change {
  readonly path: string
  readonly name: string
  readonly before: string
  readonly after: string
}

const NEW = 'exitgate.config.json'

/** Changes numbers in the user's file and nothing else in it. Without a file, it starts one. */
export function changeOf(workspace: string, found: Found | undefined, chosen: readonly Suggestion[]): Change {
  if (found === undefined) {
    const after = chosen.reduce((text, { path, to }) => inJson(text, path, to), '{}')
    return {
      path: join(workspace, NEW),
      name: NEW,
      before: '',
      after: `${JSON.stringify(JSON.parse(after), null, 2)}\n`,
    }
  }
  const { path: file, name, text, kind } = found
  const after = chosen.reduce((so, { path, to }) => {
    const fullPath = kind === 'package' ? ['exitgate', ...path] : path
    const changed = attempt(() => (kind === 'yaml' ? inYaml(so, fullPath, to) : inJson(so, fullPath, to)))
    if (changed !== undefined && isDeepStrictEqual(dataIn(changed), withNumber(dataIn(so), fullPath, to)))
      return changed
    throw new InputError(
      `exitgate can't change ${path.join('.')} in ${name} without touching the rest. Set it to ${to} yourself.`,
    )
  }, text)
  return { path: file, name, before: text, after }
}

/** JSON is a subset of YAML. An unreadable text equals nothing. */
const dataIn = (text: string): unknown =>
  attempt(() => {
    const document = parseDocument(text.replace(/^\uFEFF/, ''))
    return document.errors.length > 0 ? NaN : ((document.toJS() ?? {}) as unknown)
  })

function withNumber(data: unknown, [key = '', ...below]: readonly string[], to: number): unknown {
  const table = typeof data === 'object' && data !== null ? data : {}
  const inside: unknown = Reflect.get(table, key)
  return { ...table, [key]: below.length === 0 ? to : withNumber(inside, below, to) }
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function inJson(text: string, path: readonly string[], to: number): string {
  let value = readJsonc(text)
  for (const [at, key] of path.entries()) {
    const item = value.items.find((each) => each.key === key)
    if (item === undefined) {
      const data = path.slice(at + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), to)
      return insert(text, value, key, data)
    }
    value = item.value
  }
  return `${text.slice(0, value.start)}${to}${text.slice(value.end)}`
}

/** The text with another number at a path and no other byte changed; undefined if that is not certain. */
function inYaml(text: string, path: readonly string[], to: number): string | undefined {
  const document = parseDocument(text)
  const there = document.getIn(path, true)
  if (isScalar(there) && there.range) return `${text.slice(0, there.range[0])}${to}${text.slice(there.range[1])}`
  return there === undefined ? added(text, document, path, to) : undefined
}

/** Adds it as the first entry of the innermost existing section, after any comment before that section's entries. */
function added(text: string, document: Document, path: readonly string[], to: number): string | undefined {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  if (document.contents === null) {
    const own = text === '' || text.endsWith('\n') ? '' : end
    return `${text}${own}${entry(path, to)}${end}`
  }
  const [section, rest] = innermost(document, path)
  const at = section && firstKey(section)
  if (section === undefined || at === undefined) return undefined
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  if (!section.flow && /\S/.test(before.replace(/^\uFEFF/, ''))) return undefined
  const between = section.flow ? ', ' : `${end}${before.replace(/^\uFEFF/, '')}`
  return `${text.slice(0, at)}${entry(rest, to)}${between}${text.slice(at)}`
}

function innermost(document: Document, path: readonly string[]): readonly [YAMLMap | undefined, readonly string[]] {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const found = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
    if (found !== undefined) return [isMap(found) ? found : undefined, path.slice(depth)]
  }
  return [undefined, path]
}

function firstKey({ items: [first] }: YAMLMap): number | undefined {
  return isScalar(first?.key) ? first.key.range?.[0] : undefined
}

const entry = ([key = '', ...below]: readonly string[], to: number): string =>
  below.length === 0 ? `${key}: ${to}` : `${key}: { ${entry(below, to)} }`
