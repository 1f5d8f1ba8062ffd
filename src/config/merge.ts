import type { Config } from '../core/config.ts'

export type Tree = { readonly [key: string]: unknown }
type Growing = { [key: string]: unknown }

/** One source of values: a patch, and for each of its paths the words that say where it stands. */
export interface Layer {
  readonly patch: Tree
  readonly label: (path: string) => string
}

export interface Merged {
  readonly config: Config
  /** Where every effective value came from, by dotted path. */
  readonly sources: ReadonlyMap<string, string>
}

/** Lays the layers over each other: later ones win, lists are replaced whole, null takes a value away. */
export function merge(layers: readonly Layer[], unset: readonly string[]): Merged {
  const config: Growing = {}
  const sources = new Map<string, string>(unset.map((path) => [path, 'default']))
  for (const { patch, label } of layers) lay(config, patch, '', label, sources)
  return { config: config as unknown as Config, sources }
}

function lay(
  target: Growing,
  patch: Tree,
  above: string,
  label: (path: string) => string,
  sources: Map<string, string>,
): void {
  for (const [key, value] of Object.entries(patch)) {
    const path = above === '' ? key : `${above}.${key}`
    if (value === undefined || path === '$schema') continue
    if (isTree(value)) {
      const inner = isTree(target[key]) ? (target[key] as Growing) : {}
      target[key] = inner
      lay(inner, value, path, label, sources)
    } else if (value !== null || path.startsWith('taskTypes.')) {
      // Inside a task type null is kept: it takes the value away only when that type is chosen.
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

/** The value at a dotted path, or nothing. */
export function valueAt(tree: unknown, path: string): unknown {
  let value: unknown = tree
  for (const key of path.split('.')) value = isTree(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

/** A layer made of single values, each with its own source. */
export function layerOf(rows: readonly Row[]): Layer {
  const patch: Growing = {}
  const labels = new Map<string, string>()
  for (const { path, value, label } of rows) {
    setAt(patch, path, value)
    labels.set(path, label)
  }
  return { patch, label: (path) => labels.get(path) ?? '' }
}

export interface Row {
  readonly path: string
  readonly value: unknown
  readonly label: string
}

export function setAt(tree: Growing, path: string, value: unknown): void {
  const keys = path.split('.')
  const last = keys.pop()!
  let inner = tree
  for (const key of keys) {
    if (!Object.hasOwn(inner, key) || !isTree(inner[key])) inner[key] = {}
    inner = inner[key] as Growing
  }
  inner[last] = value
}
