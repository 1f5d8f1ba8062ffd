import type { Preset } from '../core/preset.ts'
import { type Environment, given, isOurs, PREFIX } from './env.ts'
import { type Leaf, leaves } from './leaves.ts'
import type { Row } from './merge.ts'
import { nearest } from './nearest.ts'

/** The variable that sets a path: EXITGATE_ and the path in upper case with underscores. */
export function variableOf(path: string): string {
  const snake = path.replace(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll('.', '_')
  return PREFIX + snake.toUpperCase()
}

/** Every value the environment sets: first the names the preset's users know, then our own, which win. */
export function readEnvironment(
  env: Environment,
  preset: Preset,
): { readonly rows: readonly Row[]; readonly warnings: readonly string[] } {
  const ours = new Map([...leaves().values()].map((leaf) => [variableOf(leaf.path), leaf]))
  const rows: Row[] = [...ofPreset(env, preset)]
  const warnings: string[] = []
  for (const name of Object.keys(env).filter(isOurs).sort()) {
    const leaf = ours.get(name)
    const text = given(env, name)
    if (leaf === undefined) {
      const near = nearestVariable(name, ours.keys())
      if (near !== undefined) warnings.push(`environment ${name} is not known; did you mean ${near}?`)
    } else if (text !== undefined) {
      rows.push({ path: leaf.path, value: toValue(text, leaf), label: `environment ${name}` })
    }
  }
  return { rows, warnings }
}

/** The older tool's own names. `limits.minutes*60` says that the variable counts hours. */
function* ofPreset(env: Environment, preset: Preset): Generator<Row> {
  for (const [name, target] of Object.entries(preset.env)) {
    const [path = '', factor] = target.split('*')
    const leaf = leaves().get(path)
    const text = given(env, name)
    if (leaf === undefined || text === undefined) continue
    const value = toValue(text, leaf)
    const scaled = typeof value === 'number' && factor !== undefined ? value * Number(factor) : value
    yield { path, value: scaled, label: `environment ${name}` }
  }
}

/** Compared without the prefix, which would make every short name look alike. */
function nearestVariable(name: string, known: Iterable<string>): string | undefined {
  const near = nearest(
    name.slice(PREFIX.length),
    [...known].map((one) => one.slice(PREFIX.length)),
  )
  return near === undefined ? undefined : PREFIX + near
}

/** A text as the value its path wants. What does not fit stays a text, and the validator says what would. */
export function toValue(text: string, leaf: Pick<Leaf, 'kind' | 'optional'>): unknown {
  if (leaf.optional && /^(?:none|null|disabled)$/i.test(text)) return null
  switch (leaf.kind) {
    case 'number':
      return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : text
    case 'boolean':
      if (/^(?:true|1|yes|on)$/i.test(text)) return true
      return /^(?:false|0|no|off)$/i.test(text) ? false : text
    case 'array':
      return listOf(text)
    default:
      return text
  }
}

/** A JSON list, or items between commas; commas inside brackets belong to the item: `Bash(git add, git commit)`. */
export function listOf(text: string): unknown {
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
