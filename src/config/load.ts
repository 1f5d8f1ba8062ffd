import { BASE, UNSET } from './defaults.ts'
import { type Environment, given, speaksToUs } from './env.ts'
import { readEnvironment } from './env-values.ts'
import { ConfigError, shown } from './errors.ts'
import { findConfig } from './find.ts'
import { fingerprint } from './fingerprint.ts'
import { type FlagValues, flagsToPatch } from './flags.ts'
import { isTree, type Layer, layerOf, type Merged, merge, type Row, type Tree, valueAt } from './merge.ts'
import { nearest } from './nearest.ts'
import { readConfigFile } from './read-file.ts'
import type { Config, Preset } from './types.ts'
import { problemsOf } from './validate.ts'

export interface LoadOptions {
  /** The workspace. */
  readonly dir: string
  /** A file asked for by name; else the nearest one is taken. */
  readonly file?: string | undefined
  readonly env: Environment
  /** Values of the command line by the name of their flag, as `parseArgs` gives them. */
  readonly flags: FlagValues
  readonly presets: Readonly<Record<string, Preset>>
}

export interface Loaded {
  readonly config: Config
  readonly preset: Preset
  /** Where every value came from, by dotted path; a path whose value is absent is there too. */
  readonly sources: ReadonlyMap<string, string>
  /** The file, as its name stands in `sources`. */
  readonly file?: string
  readonly filePath?: string
  /** Changes when, and only when, an effective value changes. */
  readonly hash: string
  readonly warnings: readonly string[]
}

const BASE_LAYER: Layer = { patch: BASE as unknown as Tree, label: () => 'default' }
const EMPTY_LAYER: Layer = { patch: {}, label: () => '' }

/** The effective configuration: default < preset < file < task type < environment < flags. Throws a ConfigError. */
export async function loadConfig({ dir, file, env, flags, presets }: LoadOptions): Promise<Loaded> {
  const found = findConfig(dir, file)
  const fromFile = found === undefined ? EMPTY_LAYER : await readConfigFile(found)
  const taskType = (flags['task-type'] ?? given(env, 'EXITGATE_TASK_TYPE') ?? fromFile.patch.taskType ?? '') as string
  const preset = choosePreset(flags, env, fromFile, taskType, presets)
  const { rows: fromEnv, warnings } = environment(env, preset)
  const fromFlags = flagsToPatch(flags, preset)
  validate([...fromEnv, ...fromFlags])

  const ofPreset: Layer = { patch: preset.defaults as Tree, label: () => `preset ${preset.name}` }
  const settled = [BASE_LAYER, ofPreset, fromFile]
  const forTask = taskLayer(merge(settled, UNSET), taskType)
  const { config, sources } = merge([...settled, forTask.layer, layerOf(fromEnv), layerOf(fromFlags)], UNSET)
  await validatePatterns(config, sources)
  return {
    config,
    preset,
    sources,
    ...(found === undefined ? {} : { file: found.name, filePath: found.path }),
    hash: fingerprint(config),
    warnings: [...warnings, ...forTask.warnings],
  }
}

/** The preset must be known before the rest can be read: it brings names for the environment and for --threshold. */
function choosePreset(
  flags: FlagValues,
  env: Environment,
  file: Layer,
  taskType: string,
  presets: Readonly<Record<string, Preset>>,
): Preset {
  const inTask = `taskTypes.${taskType}.preset`
  const places: readonly (readonly [unknown, string])[] = [
    [flags.preset, 'flag --preset'],
    [given(env, 'EXITGATE_PRESET'), 'environment EXITGATE_PRESET'],
    [valueAt(file.patch, inTask), file.label(inTask)],
    [file.patch.preset, file.label('preset')],
    [BASE.preset, 'default'],
  ]
  const [name, label] = places.find(([value]) => value !== undefined)!
  if (typeof name === 'string' && Object.hasOwn(presets, name)) return presets[name]!
  const near = typeof name === 'string' ? nearest(name, Object.keys(presets)) : undefined
  const allowed = `it must be one of ${Object.keys(presets).join(', ')}`
  throw new ConfigError(
    `${label}: "preset" is ${shown(name)}; ${allowed}${near === undefined ? '.' : `; did you mean "${near}"?`}`,
  )
}

function environment(
  env: Environment,
  preset: Preset,
): { readonly rows: readonly Row[]; readonly warnings: readonly string[] } {
  if (speaksToUs(env, preset)) return readEnvironment(env, preset)
  const name = given(env, 'EXITGATE_PRESET')
  const rows = name === undefined ? [] : [{ path: 'preset', value: name, label: 'environment EXITGATE_PRESET' }]
  return { rows, warnings: [] }
}

function validate(rows: readonly Row[]): void {
  // The preset was already looked up, so a lone --preset needs no schema.
  if (rows.every((row) => row.path === 'preset')) return
  const problems = rows.flatMap((row) =>
    problemsOf(layerOf([row]).patch).map((problem) => `${row.label}: ${problem.text}`),
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

/** What the chosen kind of task overrides, wherever that kind was described. */
function taskLayer(
  { config, sources }: Merged,
  taskType: string,
): { readonly layer: Layer; readonly warnings: readonly string[] } {
  const names = Object.keys(config.taskTypes)
  if (taskType === '' || names.length === 0) return { layer: EMPTY_LAYER, warnings: [] }
  if (!names.includes(taskType)) {
    const near = nearest(taskType, names)
    const hint = near === undefined ? `; there are ${names.join(', ')}.` : `; did you mean "${near}"?`
    return { layer: EMPTY_LAYER, warnings: [`the task type ${shown(taskType)} has no overrides${hint}`] }
  }
  const patch = config.taskTypes[taskType] as Tree
  const label = (path: string): string =>
    `${sources.get(`taskTypes.${taskType}.${path}`) ?? 'default'} (task type ${taskType})`
  return { layer: { patch: isTree(patch) ? patch : {}, label }, warnings: [] }
}

/** Patterns must be regular expressions that run in linear time, or an agent could make us hang. */
async function validatePatterns(config: Config, sources: ReadonlyMap<string, string>): Promise<void> {
  const lists = { patterns: config.patterns, 'cub.patterns': config.cub.patterns }
  if (Object.values(lists).every((list) => list.length === 0)) return
  const { RE2JS } = await import('re2js')
  const problems: string[] = []
  for (const [path, list] of Object.entries(lists)) {
    list.forEach((pattern, i) => {
      try {
        RE2JS.compile(pattern)
      } catch (thrown) {
        const why = (thrown as Error).message.replace(/^error parsing regexp: /, '')
        const allowed = 'it must be a regular expression without look-around or back-references'
        problems.push(`${sources.get(path)}: "${path}[${i}]" is ${shown(pattern)}; ${allowed} (${why}).`)
      }
    })
  }
  if (problems.length > 0) throw new ConfigError(problems)
}
