import type { Config } from '../core/config.ts'
import type { Preset } from '../core/preset.ts'
import { BASE, UNSET } from './defaults.ts'
import { type Environment, given, speaksToUs } from './env.ts'
import { ConfigError, shown } from './errors.ts'
import { type Found, findConfig } from './find.ts'
import { fingerprint } from './fingerprint.ts'
import { type FlagValues, flagsToPatch } from './flags.ts'
import type { LoadedModule } from './load-module.ts'
import { isTree, type Layer, layerOf, type Merged, merge, type Row, type Tree, valueAt } from './merge.ts'
import { nearest } from './nearest.ts'

export interface LoadOptions {
  /** The workspace. */
  readonly dir: string
  /** A file asked for by name; else the nearest one is taken. */
  readonly file?: string | undefined
  readonly env: Environment
  /** Values of the command line by the name of their flag, as `parseArgs` gives them. */
  readonly flags: FlagValues
  /** Flags that only this command has, by the path they set. */
  readonly paths?: Readonly<Record<string, string>>
  readonly presets: Readonly<Record<string, Preset>>
  /** A person started exitgate in this folder, so a configuration in code may be run. */
  readonly runsCode?: boolean
  /** The file as it stood somewhere else; then none is looked for. */
  readonly instead?: { readonly found: Found | undefined }
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
  /** For a configuration in code: a sentence when the file is not what was loaded any more. */
  readonly changed?: () => string | undefined
}

const BASE_LAYER: Layer = { patch: BASE as unknown as Tree, label: () => 'default' }
const EMPTY_LAYER: Layer = { patch: {}, label: () => '' }
const NO_TASK: TaskLayer = { layer: EMPTY_LAYER, warnings: [] }

/** What needs the schema: loaded only when somebody set something, because most runs set nothing and all of them wait for it. */
const withSchema = () => import('./with-schema.ts')

/** The effective configuration: default < preset < file < task type < environment < flags. Throws a ConfigError. */
export async function loadConfig(options: LoadOptions): Promise<Loaded> {
  const { dir, file, env, flags, paths, instead } = options
  const { found } = instead ?? { found: findConfig(dir, file) }
  const code = found?.kind === 'module' ? await codeOf(found, options) : undefined
  const fromFile = code?.layer ?? (found === undefined ? EMPTY_LAYER : await (await withSchema()).readConfigFile(found))
  const own = Object.fromEntries((code?.parts.presets ?? []).map((each) => [each.name, each]))
  const presets = { ...options.presets, ...own }
  const taskType = (flags['task-type'] ?? given(env, 'EXITGATE_TASK_TYPE') ?? fromFile.patch.taskType ?? '') as string
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
    ...(code === undefined ? {} : { changed: code.changed }),
  }
}

async function codeOf(found: Found, { runsCode, instead }: LoadOptions): Promise<LoadedModule> {
  if (runsCode !== true || instead !== undefined)
    throw new ConfigError(
      `${found.name}: a configuration in code is run only by commands that you start in its folder; use exitgate.config.json here.`,
    )
  const { loadModule } = await import('./load-module.ts')
  return loadModule(found)
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

async function environment(
  env: Environment,
  preset: Preset,
): Promise<{ readonly rows: readonly Row[]; readonly warnings: readonly string[] }> {
  if (speaksToUs(env, preset)) return (await withSchema()).readEnvironment(env, preset)
  const name = given(env, 'EXITGATE_PRESET')
  const rows = name === undefined ? [] : [{ path: 'preset', value: name, label: 'environment EXITGATE_PRESET' }]
  return { rows, warnings: [] }
}

async function validate(rows: readonly Row[]): Promise<void> {
  // The preset was already looked up, so a lone --preset needs no schema.
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

/** What the chosen kind of task overrides, wherever that kind was described. */
function taskLayer({ config, sources }: Merged, taskType: string): TaskLayer {
  const names = Object.keys(config.taskTypes)
  if (names.length === 0) return NO_TASK
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

async function validatePatterns(config: Config, sources: ReadonlyMap<string, string>): Promise<void> {
  const lists = { patterns: config.patterns, 'cub.patterns': config.cub.patterns }
  if (Object.values(lists).every((list) => list.length === 0)) return
  const { patternProblems } = await import('./patterns.ts')
  const problems = patternProblems(lists, sources)
  if (problems.length > 0) throw new ConfigError(problems)
}
