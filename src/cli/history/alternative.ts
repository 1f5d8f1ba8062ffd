import { resolve } from 'node:path'
import type { Alternative } from '../../backtest/types.ts'
import { BASE } from '../../config/defaults.ts'
import { toValue } from '../../config/env-values.ts'
import { ConfigError, shown } from '../../config/errors.ts'
import { findConfig } from '../../config/find.ts'
import { numeric } from '../../config/flags.ts'
import { leaves } from '../../config/leaves.ts'
import { isTree, type Layer, layerOf, merge, type SettingRow, type Tree } from '../../config/merge.ts'
import { keysOf, pathOf } from '../../config/paths.ts'
import { patternProblems } from '../../config/patterns.ts'
import { readConfigFile } from '../../config/read-file.ts'
import { problemsOf } from '../../config/validate.ts'
import type { Config } from '../../core/config.ts'
import { presetOf, shipped } from '../../core/presets/index.ts'
import { InputError } from '../errors.ts'
import { type Io, warn } from '../io.ts'

export interface AlternativeValues {
  readonly preset?: string
  readonly threshold?: string
  readonly set?: readonly string[]
  readonly config?: string
}

const PRESET_FLAG = 'flag --preset'
const SET_FLAG = 'flag --set'

/** The settings to try. All others stay as recorded in each run. */
export async function alternativeOf(workspace: string, values: AlternativeValues, io: Io): Promise<Alternative> {
  const { preset, threshold, set = [], config } = values
  if (preset === undefined && threshold === undefined && config === undefined && set.length === 0)
    throw new InputError('Nothing to compare with. Pass --preset, --threshold, --set KEY=VALUE or --config FILE.')
  const file = config === undefined ? NOTHING : await fileOf(workspace, resolve(io.cwd, config), io)
  const rows: readonly SettingRow[] = [
    ...(preset === undefined ? [] : [{ path: 'preset', value: preset, label: PRESET_FLAG }]),
    ...set.map(rowOf),
  ]
  assertValid(rows)
  const chosen = (layerOf(rows).patch.preset ?? file.patch.preset) as string | undefined
  const least = thresholdOf(threshold, chosen)
  const { taskTypes: _kinds, ...fromFile } = file.patch
  return {
    name: nameOf(rows, threshold, config),
    config: remembered((recorded) => {
      const name = chosen ?? recorded.preset
      const base = name === recorded.preset ? recorded : underPreset(recorded, name)
      return merge([layer(base), layer(fromFile), layerOf([...least(name), ...rows])], []).config
    }),
  }
}

const NOTHING: Layer = { patch: {}, label: () => '' }

async function fileOf(workspace: string, path: string, io: Io): Promise<Layer> {
  const found = findConfig(workspace, path)
  if (found === undefined) return NOTHING
  const file = await readConfigFile(found)
  // The journal records the resulting settings of a task, not its type.
  if (file.patch.taskTypes !== undefined) warn(io, `${found.name}: "taskTypes" is ignored; past runs keep theirs.`)
  return file
}

/** `breaker.noProgress=5`: the path decides the type of the value. */
function rowOf(text: string): SettingRow {
  const at = text.indexOf('=')
  const path = text.slice(0, at).trim()
  if (at < 1 || pathOf(keysOf(path)) !== path || keysOf(path).includes('__proto__'))
    throw new InputError(`--set must be KEY=VALUE, for example breaker.noProgress=5, not ${shown(text)}.`)
  const value = text.slice(at + 1)
  // Paths below phases are named by the user and hold numbers.
  return { path, value: toValue(value, leaves().get(path) ?? { kind: 'number', optional: false }), label: SET_FLAG }
}

function assertValid(rows: readonly SettingRow[]): void {
  const problems = rows.flatMap((row) =>
    problemsOf(layerOf([row]).patch).map((problem) => `${row.label}: ${problem.text}`),
  )
  if (problems.length > 0) throw new ConfigError(problems)
  const lists = Object.fromEntries(
    rows.flatMap(({ path, value }) => (/^(?:cub\.)?patterns$/.test(path) ? [[path, value as readonly string[]]] : [])),
  )
  const wrong = patternProblems(lists, new Map(Object.keys(lists).map((path) => [path, SET_FLAG])))
  if (wrong.length > 0) throw new ConfigError(wrong)
}

/** `--threshold` sets the threshold of the preset. Runs of a preset without one don't change. */
function thresholdOf(text: string | undefined, chosen: string | undefined): (preset: string) => readonly SettingRow[] {
  if (text === undefined) return () => []
  const label = 'flag --threshold'
  const value = numeric(text)
  if (typeof value !== 'number') throw new InputError(`--threshold must be a number, not ${shown(text)}.`)
  if (chosen !== undefined && shipped(chosen)?.threshold === undefined)
    throw new ConfigError(`${label}: the preset "${chosen}" has no threshold.`)
  return (preset) => {
    const path = shipped(preset)?.threshold
    if (path === undefined) return []
    const rows = [{ path, value, label }]
    assertValid(rows)
    return rows
  }
}

/** The run under another preset: settings of the user stay, defaults of the old preset don't. */
function underPreset(recorded: Config, name: string): Config {
  const before = merge([layer(BASE), layer(presetOf(recorded).defaults)], []).config
  const own = difference(tree(before), tree(recorded))
  return merge([layer(BASE), layer(shipped(name)?.defaults ?? {}), layer(own), layer({ preset: name })], []).config
}

/** The patch that turns one into the other; null removes a value. */
function difference(from: Tree, to: Tree): Tree {
  const patch: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = from[key]
    const after = to[key]
    if (isTree(before) && isTree(after)) patch[key] = difference(before, after)
    else if (JSON.stringify(before) !== JSON.stringify(after)) patch[key] = after ?? null
  }
  return patch
}

const tree = (config: Config): Tree => ({ ...config })
const layer = (patch: object): Layer => ({ patch: { ...patch }, label: () => '' })

/** Most runs share a configuration, so each is built only once. */
function remembered(make: (config: Config) => Config): (config: Config) => Config {
  const made = new WeakMap<Config, Config>()
  return (config) => {
    const known = made.get(config)
    if (known !== undefined) return known
    const other = make(config)
    made.set(config, other)
    return other
  }
}

function nameOf(rows: readonly SettingRow[], threshold: string | undefined, config: string | undefined): string {
  return [
    ...(config === undefined ? [] : [`the settings in ${config}`]),
    ...(threshold === undefined ? [] : [`threshold ${threshold}`]),
    ...rows.map(
      ({ path, value }) => `${path} ${value === null ? 'none' : typeof value === 'string' ? value : shown(value)}`,
    ),
  ].join(', ')
}
