import { nearest } from '../../packages/core/src/nearest.ts'
import type { Config } from '../core/config.ts'
import type { Preset } from '../core/preset.ts'
import { BASE, UNSET } from './defaults.ts'
import { type Environment, envValue, setsAnything } from './env.ts'
import { ConfigError, shown } from './errors.ts'
import { type Found, findConfig } from './find.ts'
import { fingerprint } from './fingerprint.ts'
import { type FlagValues, flagsToPatch } from './flags.ts'
import type { LoadedModule } from './load-module.ts'
import { isTree, type Layer, layerOf, type Merged, merge, type SettingRow, type Tree, valueAt } from './merge.ts'

export interface LoadOptions {
  /** The workspace. */
  readonly dir: string
  /** The file to read. Without it, the nearest one is used. */
  readonly file?: string | undefined
  readonly env: Environment
  /** Command-line values by flag name, as `parseArgs` returns them. */
  readonly flags: FlagValues
  /** Flags that only this command has, with the path each sets. */
  readonly paths?: Readonly<Record<string, string>>
  readonly presets: Readonly<Record<string, Preset>>
  /** Whether a configuration in code may run: only if the user started exitgate in this folder. */
  readonly allowCode?: boolean
  /** Called before a configuration in code is executed, with its name and the hash of its content. Throws to prevent that. */
  readonly beforeCode?: (name: string, hash: string) => Promise<void>
  /** A file read elsewhere, for example from a base commit. No file is searched for then. */
  readonly foundElsewhere?: { readonly found: Found | undefined }
}

export interface Loaded {
  readonly config: Config
  readonly preset: Preset
  /** The source of every value, by dotted path, including paths without a value. */
  readonly sources: ReadonlyMap<string, string>
  /** The file's name as used in `sources`. */
  readonly file?: string
  readonly filePath?: string
  /** A hash of the effective values. */
  readonly hash: string
  readonly warnings: readonly string[]
  /** For a configuration in code: the hash of its content. */
  readonly code?: string
  /** For a configuration in code: a warning if the file has changed since it was loaded. */
  readonly changed?: () => string | undefined
}

const BASE_LAYER: Layer = { patch: BASE as unknown as Tree, label: () => 'default' }
const EMPTY_LAYER: Layer = { patch: {}, label: () => '' }
const NO_TASK: TaskLayer = { layer: EMPTY_LAYER, warnings: [] }

/** Loads the schema only when something is set. Most runs set nothing, and every run would wait for it. */
const withSchema = () => import('./with-schema.ts')

/** The effective configuration. Later sources win: default, preset, file, task type, environment, flags. Throws a ConfigError. */
export async function loadConfig(options: LoadOptions): Promise<Loaded> {
  const { dir, file, env, flags, paths, foundElsewhere } = options
  const { found } = foundElsewhere ?? { found: findConfig(dir, file) }
  const code = found?.kind === 'module' ? await codeOf(found, options) : undefined
  const fromFile = code?.layer ?? (found === undefined ? EMPTY_LAYER : await (await withSchema()).readConfigFile(found))
  const own = code?.parts.presets.map((each) => [each.name, each] as const)
  // A copy would load every preset.
  const presets = own === undefined ? options.presets : { ...options.presets, ...Object.fromEntries(own) }
  const taskType = (flags['task-type'] ??
    envValue(env, 'EXITGATE_TASK_TYPE') ??
    fromFile.patch.taskType ??
    '') as string
  const preset = choosePreset(flags, env, fromFile, taskType, presets)
  const { rows: fromEnv, warnings } = await environment(env, preset)
  const fromFlags = flagsToPatch(flags, preset, paths)
  await validate([...fromEnv, ...fromFlags])

  const ofPreset: Layer = { patch: preset.defaults as Tree, label: () => `preset ${preset.name}` }
  const settled = [BASE_LAYER, ofPreset, fromFile]
  const forTask = taskType === '' ? NO_TASK : taskLayer(merge(settled, UNSET), taskType)
  const extensions: Layer = {
    patch: code?.extensions === undefined ? {} : { extensions: code.extensions },
    label: () => found?.name ?? '',
  }
  const layers = [...settled, forTask.layer, layerOf(fromEnv), layerOf(fromFlags), extensions]
  const { config, sources } = merge(layers, UNSET)
  await validatePatterns(config, sources)
  return {
    config,
    preset,
    sources,
    ...(found === undefined ? {} : { file: found.name, filePath: found.path }),
    get hash() {
      return fingerprint(config)
    },
    warnings: [...warnings, ...forTask.warnings],
    ...(code === undefined ? {} : { code: code.hash, changed: code.changed }),
  }
}

async function codeOf(found: Found, { allowCode, foundElsewhere, beforeCode }: LoadOptions): Promise<LoadedModule> {
  if (allowCode !== true || foundElsewhere !== undefined)
    throw new ConfigError(
      `${found.name}: this command doesn't run configuration code. Use exitgate.config.json, or run the command in the folder of this file.`,
    )
  const { loadModule, moduleHash } = await import('./load-module.ts')
  await beforeCode?.(found.name, moduleHash(found.path))
  return loadModule(found)
}

/** The preset comes first, because it defines environment variables and what --threshold sets. */
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
    [envValue(env, 'EXITGATE_PRESET'), 'environment EXITGATE_PRESET'],
    [valueAt(file.patch, inTask), file.label(inTask)],
    [file.patch.preset, file.label('preset')],
    [BASE.preset, 'default'],
  ]
  const [name, label] = places.find(([value]) => value !== undefined)!
  if (typeof name === 'string' && Object.hasOwn(presets, name)) return presets[name]!
  const near = typeof name === 'string' ? nearest(name, Object.keys(presets)) : undefined
  const allowed = Object.keys(presets).join(', ')
  throw new ConfigError(
    `${label}: "preset" must be one of ${allowed}, not ${shown(name)}.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
  )
}

async function environment(
  env: Environment,
  preset: Preset,
): Promise<{ readonly rows: readonly SettingRow[]; readonly warnings: readonly string[] }> {
  if (setsAnything(env, preset)) return (await withSchema()).readEnvironment(env, preset)
  const name = envValue(env, 'EXITGATE_PRESET')
  const rows = name === undefined ? [] : [{ path: 'preset', value: name, label: 'environment EXITGATE_PRESET' }]
  return { rows, warnings: [] }
}

async function validate(rows: readonly SettingRow[]): Promise<void> {
  // The preset is already resolved, so --preset alone needs no schema.
  const others = rows.filter((row) => row.path !== 'preset')
  if (others.length === 0) return
  const { problemsOf } = await withSchema()
  const problems = others.flatMap((row) =>
    problemsOf(layerOf([row]).patch).map((problem) => `${row.label}: ${problem.text}`),
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

interface TaskLayer {
  readonly layer: Layer
  readonly warnings: readonly string[]
}

/** The overrides of the selected task type. */
function taskLayer({ config, sources }: Merged, taskType: string): TaskLayer {
  const names = Object.keys(config.taskTypes)
  if (names.length === 0) return NO_TASK
  if (!names.includes(taskType)) {
    const near = nearest(taskType, names)
    const hint = near === undefined ? ` Known types: ${names.join(', ')}.` : ` Did you mean "${near}"?`
    return { layer: EMPTY_LAYER, warnings: [`no overrides for the task type ${shown(taskType)}.${hint}`] }
  }
  const patch = config.taskTypes[taskType] as Tree
  const label = (path: string): string =>
    `${sources.get(`taskTypes.${taskType}.${path}`) ?? 'default'} (task type ${taskType})`
  return { layer: { patch: isTree(patch) ? patch : {}, label }, warnings: [] }
}

async function validatePatterns(config: Config, sources: ReadonlyMap<string, string>): Promise<void> {
  const lists = { patterns: config.patterns, 'cub.patterns': config.cub.patterns }
  if (Object.values(lists).every((list) => list.length === 0)) return
  const { patternProblems } = await import('./patterns.ts')
  const problems = patternProblems(lists, sources)
  if (problems.length > 0) throw new ConfigError(problems)
}
