import { nearest } from '../../packages/core/src/nearest.ts'
import type { Preset } from '../core/preset.ts'
import { type Environment, envValue, isSettingVariable, PREFIX } from './env.ts'
import { type Leaf, leaves } from './leaves.ts'
import type { SettingRow } from './merge.ts'

/** The variable that sets a path: EXITGATE_ and the path in upper case with underscores. */
export function variableOf(path: string): string {
  const snake = path.replace(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll('.', '_')
  return PREFIX + snake.toUpperCase()
}

/** Every value set in the environment: the preset's own variables first, then EXITGATE_ variables, which override them. */
export function readEnvironment(
  env: Environment,
  preset: Preset,
): { readonly rows: readonly SettingRow[]; readonly warnings: readonly string[] } {
  const ours = new Map([...leaves().values()].map((leaf) => [variableOf(leaf.path), leaf]))
  const rows: SettingRow[] = [...presetVariables(env, preset)]
  const warnings: string[] = []
  for (const name of Object.keys(env).filter(isSettingVariable).sort()) {
    const leaf = ours.get(name)
    const text = envValue(env, name)
    if (leaf === undefined) {
      const near = nearestVariable(name, ours.keys())
      if (near !== undefined) warnings.push(`unknown environment variable ${name}. Did you mean ${near}?`)
    } else if (text !== undefined) {
      rows.push({ path: leaf.path, value: toValue(text, leaf), label: `environment ${name}` })
    }
  }
  return { rows, warnings }
}

/** The older tool's own variables. `limits.minutes*60` means that the variable is in hours. */
function* presetVariables(env: Environment, preset: Preset): Generator<SettingRow> {
  for (const [name, target] of Object.entries(preset.env)) {
    const [path = '', factor] = target.split('*')
    const leaf = leaves().get(path)
    const text = envValue(env, name)
    if (leaf === undefined || text === undefined) continue
    const value = toValue(text, leaf)
    const scaled = typeof value === 'number' && factor !== undefined ? value * Number(factor) : value
    yield { path, value: scaled, label: `environment ${name}` }
  }
}

/** Compared without the prefix, because a shared prefix makes short names look alike. */
function nearestVariable(name: string, known: Iterable<string>): string | undefined {
  const near = nearest(
    name.slice(PREFIX.length),
    [...known].map((one) => one.slice(PREFIX.length)),
  )
  return near === undefined ? undefined : PREFIX + near
}

/** Converts a string to the type of its setting. A string that doesn't fit stays a string, and the validator rejects it. */
export function toValue(text: string, leaf: Pick<Leaf, 'kind' | 'optional'>): unknown {
  if (leaf.optional && /^(?:none|null|disabled)$/i.test(text)) return null
  switch (leaf.kind) {
    case 'number':
      return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : text
    case 'boolean':
      if (/^(?:true|1|yes|on)$/i.test(text)) return true
      return /^(?:false|0|no|off)$/i.test(text) ? false : text
    case 'array':
      return parseList(text)
    default:
      return text
  }
}

/** A JSON array, or items separated by commas. Commas inside brackets belong to the item: `Bash(git add, git commit)`. */
export function parseList(text: string): unknown {
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  const items = ['']
  let depth = 0
  for (const c of text) {
    if (c === ',' && depth === 0) {
      items.push('')
      continue
    }
    if ('([{'.includes(c)) depth++
    else if (')]}'.includes(c)) depth = Math.max(0, depth - 1)
    items[items.length - 1] += c
  }
  return items.map((item) => item.trim()).filter((item) => item !== '')
}
