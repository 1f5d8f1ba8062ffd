import type { Config } from '../core/config.ts'
import { keysOf, pathBelow } from './paths.ts'

export type Tree = { readonly [key: string]: unknown }
type MutableTree = { [key: string]: unknown }

/** One source of values: a patch, and a label for each of its paths, such as `exitgate.config.json:3`. */
export interface Layer {
  readonly patch: Tree
  readonly label: (path: string) => string
}

export interface Merged {
  readonly config: Config
  /** The source of every effective value, by dotted path. */
  readonly sources: ReadonlyMap<string, string>
}

/** Merges the layers. Later ones win, lists are replaced as a whole, and null removes a value. */
export function merge(layers: readonly Layer[], unset: readonly string[]): Merged {
  const config: MutableTree = {}
  const sources = new Map<string, string>(unset.map((path) => [path, 'default']))
  for (const { patch, label } of layers) mergeInto(config, patch, '', label, sources)
  return { config: config as unknown as Config, sources }
}

function mergeInto(
  target: MutableTree,
  patch: Tree,
  above: string,
  label: (path: string) => string,
  sources: Map<string, string>,
): void {
  for (const [key, value] of Object.entries(patch)) {
    const path = pathBelow(above, key)
    if (value === undefined || path === '$schema') continue
    if (isTree(value)) {
      const inner = isTree(target[key]) ? (target[key] as MutableTree) : {}
      target[key] = inner
      mergeInto(inner, value, path, label, sources)
    } else if (value !== null || path.startsWith('taskTypes.')) {
      // Inside a task type, null is kept. It removes the value only when that task type is selected.
      target[key] = value
      sources.set(path, label(path))
    } else if (!isTree(target[key])) {
      delete target[key]
      if (sources.has(path)) sources.set(path, label(path))
    }
  }
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a dotted path, or undefined. */
export function valueAt(tree: unknown, path: string): unknown {
  let value: unknown = tree
  for (const key of keysOf(path)) value = isTree(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

/** A layer of single values, each with its own source. */
export function layerOf(rows: readonly SettingRow[]): Layer {
  const patch: MutableTree = {}
  const labels = new Map<string, string>()
  for (const { path, value, label } of rows) {
    setAt(patch, path, value)
    labels.set(path, label)
  }
  return { patch, label: (path) => labels.get(path) ?? '' }
}

export interface SettingRow {
  readonly path: string
  readonly value: unknown
  readonly label: string
}

export function setAt(tree: MutableTree, path: string, value: unknown): void {
  const keys = [...keysOf(path)]
  const last = keys.pop()!
  let inner = tree
  for (const key of keys) {
    if (!Object.hasOwn(inner, key) || !isTree(inner[key])) inner[key] = {}
    inner = inner[key] as MutableTree
  }
  inner[last] = value
}
