import type { ConfigPatch, PresetName } from '../../core/config.ts'
import { toValue } from '../env-values.ts'
import { shown } from '../errors.ts'
import { leaves } from '../leaves.ts'
import { isTree, setAt } from '../merge.ts'
import { problemsOf } from '../validate.ts'
import { readAssignments } from './assignments.ts'

/** The result of migrating an older tool's settings. */
export interface Migration {
  readonly patch: ConfigPatch
  /** Lines of the form `file: old name -> new path = value`. */
  readonly carried: readonly string[]
  /** Lines of the form `file: old name = value: reason`. Values that may be secrets are left out. */
  readonly noCounterpart: readonly string[]
}

/** Contents of the older tool's files, by path. */
export type FileTexts = Readonly<Record<string, string>>

/** The settings of one older tool. */
export interface OldTool {
  readonly name: Exclude<PresetName, 'default'>
  /** Its settings files, relative to the workspace. Later ones win. */
  readonly files: readonly string[]
  /** The files that only this tool has. If one exists, the tool is in use. */
  readonly markers: readonly string[]
  /** Environment variables that set the same values. */
  readonly variables: readonly string[]
  readonly migrate: (texts: FileTexts, env: Readonly<Record<string, string | undefined>>) => Migration
}

/** A setting in the older tool's format. */
export interface Setting {
  readonly name: string
  readonly value: unknown
  readonly from: string
}

/** The new path of a setting, with an optional conversion of its value. */
export type Target = string | readonly [path: string, convert: (value: unknown) => unknown]

/** Old name -> target. A trailing `*` matches every name with that prefix. */
export type Targets = Readonly<Record<string, Target>>
/** Old name -> reason for leaving it out. A trailing `*` matches every name with that prefix. */
export type Reasons = Readonly<Record<string, string>>

/** Migrates settings according to a table. Settings that the table doesn't list are reported, never dropped silently. */
export function migrateSettings(
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
    const skip = (why: string): void => void noCounterpart.push(`${from}: ${describeSetting(name, value)}: ${why}`)
    const target = lookUp(targets, name)
    if (target === undefined) {
      skip(lookUp(reasons, name) ?? 'exitgate has no such setting')
      continue
    }
    const [path, convert] = typeof target === 'string' ? [target, undefined] : target
    const converted = convert === undefined ? toTyped(value, path) : convert(toTyped(value, path))
    const probe: { [key: string]: unknown } = {}
    setAt(probe, path, converted)
    const problem = problemsOf(probe)[0]
    if (problem !== undefined) skip(problem.text.replace(/\.$/, ''))
    else {
      setAt(patch, path, converted)
      carried.set(path, `${from}: ${name} -> ${path} = ${shown(converted)}`)
    }
  }
  return { patch: patch as ConfigPatch, carried: [...carried.values()], noCounterpart }
}

const SECRET = /^env\.|key|secret|passw|credential|webhook|token$/i

/** A setting for the report. Sections and possible secrets are shown without their value. */
function describeSetting(name: string, value: unknown): string {
  return isTree(value) || SECRET.test(name) ? name : `${name} = ${shown(value)}`
}

function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(table, name)) return table[name]
  const stem = Object.keys(table).find((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)))
  return stem === undefined ? undefined : table[stem]
}

/** Shell files contain only strings; settings have types. */
function toTyped(value: unknown, path: string): unknown {
  const leaf = leaves().get(path)
  return typeof value === 'string' && leaf !== undefined ? toValue(value, leaf) : value
}

/** The settings of a nested document, by dotted name. A section that no table refers to is one setting. */
export function flatten(document: unknown, from: string, tables: readonly object[]): readonly Setting[] {
  const names = tables.flatMap(Object.keys)
  const walk = (value: unknown, name: string): readonly Setting[] => {
    const descend = name === '' || names.some((known) => known.startsWith(`${name}.`))
    if (isTree(value) && descend) {
      return Object.entries(value).flatMap(([key, inner]) => walk(inner, name === '' ? key : `${name}.${key}`))
    }
    return [{ name, value, from }]
  }
  return isTree(document) ? walk(document, '') : []
}

/** The environment variables that are set, as settings. */
export function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
): readonly Setting[] {
  return variables.flatMap((name) => {
    const value = env[name]?.trim()
    return value === undefined || value === '' ? [] : [{ name, value, from: 'environment' }]
  })
}

/** The settings in a shell file, with a note for every line that only a shell can evaluate. */
export function readShellFile(
  texts: FileTexts,
  file: string,
): { readonly settings: readonly Setting[]; readonly notes: readonly string[] } {
  const { settings, skipped } = readAssignments(texts[file] ?? '')
  return {
    settings: settings.filter(({ value }) => value !== '').map((setting) => ({ ...setting, from: file })),
    notes: skipped.map(({ line, name, why }) => `${file}:${line}: ${name === undefined ? '' : `${name}: `}${why}`),
  }
}
