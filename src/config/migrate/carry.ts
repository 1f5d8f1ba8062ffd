import type { ConfigPatch, PresetName } from '../../core/config.ts'
import { toValue } from '../env-values.ts'
import { shown } from '../errors.ts'
import { leaves } from '../leaves.ts'
import { isTree, setAt } from '../merge.ts'
import { problemsOf } from '../validate.ts'
import { readAssignments } from './assignments.ts'

/** What became of an older tool's settings. */
export interface Migration {
  readonly patch: ConfigPatch
  /** `file: old name -> new path = value`, one a line. */
  readonly carried: readonly string[]
  /** `file: old name = value: why it was left behind`, one a line; a value that may be a secret is not repeated. */
  readonly noCounterpart: readonly string[]
}

/** Texts of the older tool's files, by the path they were asked for. */
export type Texts = Readonly<Record<string, string>>

/** One of the older tools, as far as its settings go. */
export interface System {
  readonly name: Exclude<PresetName, 'default'>
  /** Files its settings stand in, relative to the workspace; what stands in a later one wins. */
  readonly files: readonly string[]
  /** Those of them that nobody else would have: where one exists, the tool is in use. */
  readonly signs: readonly string[]
  /** Variables its users set instead. */
  readonly variables: readonly string[]
  readonly migrate: (texts: Texts, env: Readonly<Record<string, string | undefined>>) => Migration
}

/** A setting as the older tool wrote it. */
export interface Setting {
  readonly name: string
  readonly value: unknown
  readonly from: string
}

/** Where a setting goes: a path, or a path and what the value becomes on the way. */
export type Target = string | readonly [path: string, becomes: (value: unknown) => unknown]

/** Old name -> target. A name that ends in `*` stands for all that begin so. */
export type Targets = Readonly<Record<string, Target>>
/** Old name -> why it stays behind. A name that ends in `*` stands for all that begin so. */
export type Reasons = Readonly<Record<string, string>>

/** Carries settings over by a table. Whatever the table does not name is reported, never dropped in silence. */
export function carry(
  preset: PresetName,
  settings: readonly Setting[],
  targets: Targets,
  reasons: Reasons,
  notes: readonly string[] = [],
): Migration {
  const patch: { [key: string]: unknown } = { preset }
  const carried = new Map<string, string>()
  const noCounterpart: string[] = [...notes]
  for (const { name, value, from } of settings) {
    const leave = (why: string): void => void noCounterpart.push(`${from}: ${told(name, value)}: ${why}`)
    const target = named(targets, name)
    if (target === undefined) {
      leave(named(reasons, name) ?? 'exitgate has no such setting')
      continue
    }
    const [path, becomes] = typeof target === 'string' ? [target, undefined] : target
    const fitted = becomes === undefined ? typed(value, path) : becomes(typed(value, path))
    const trial: { [key: string]: unknown } = {}
    setAt(trial, path, fitted)
    const wrong = problemsOf(trial)[0]
    if (wrong !== undefined) leave(wrong.text.replace(/\.$/, ''))
    else {
      setAt(patch, path, fitted)
      carried.set(path, `${from}: ${name} -> ${path} = ${shown(fitted)}`)
    }
  }
  return { patch: patch as ConfigPatch, carried: [...carried.values()], noCounterpart }
}

const SECRET = /^env\.|key|secret|passw|credential|webhook|token$/i

/** A setting in the report. Whole sections and anything that may be a secret are named without their value. */
function told(name: string, value: unknown): string {
  return isTree(value) || SECRET.test(name) ? name : `${name} = ${shown(value)}`
}

function named<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(table, name)) return table[name]
  const stem = Object.keys(table).find((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)))
  return stem === undefined ? undefined : table[stem]
}

/** Shell files know only texts; our values have types. */
function typed(value: unknown, path: string): unknown {
  const leaf = leaves().get(path)
  return typeof value === 'string' && leaf !== undefined ? toValue(value, leaf) : value
}

/** The settings of a nested document by dotted name. A section that no table looks into is one setting. */
export function flatten(document: unknown, from: string, tables: readonly object[]): readonly Setting[] {
  const names = tables.flatMap(Object.keys)
  const walk = (value: unknown, name: string): readonly Setting[] => {
    const lookedInto = name === '' || names.some((known) => known.startsWith(`${name}.`))
    if (isTree(value) && lookedInto) {
      return Object.entries(value).flatMap(([key, inner]) => walk(inner, name === '' ? key : `${name}.${key}`))
    }
    return [{ name, value, from }]
  }
  return isTree(document) ? walk(document, '') : []
}

/** The variables that are set, as settings. */
export function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
): readonly Setting[] {
  return variables.flatMap((name) => {
    const value = env[name]?.trim()
    return value === undefined || value === '' ? [] : [{ name, value, from: 'environment' }]
  })
}

/** The settings of a shell file, and a note for every line that only a shell could read. */
export function assigned(
  texts: Texts,
  file: string,
): { readonly settings: readonly Setting[]; readonly notes: readonly string[] } {
  const { settings, leftAlone } = readAssignments(texts[file] ?? '')
  return {
    settings: settings.filter(({ value }) => value !== '').map((setting) => ({ ...setting, from: file })),
    notes: leftAlone.map(({ line, name, why }) => `${file}:${line}: ${name === undefined ? '' : `${name}: `}${why}`),
  }
}
