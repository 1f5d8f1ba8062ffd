import { CHECK_COUNTS } from '../core/check-counts.ts'
import type { Config, ConfigPatch, PresetName } from '../core/config.ts'
import { type OwnAgent, type OwnCheck, type OwnParts, registerOwnParts } from '../core/own-parts.ts'
import type { Preset } from '../core/preset.ts'
import { shipped } from '../core/presets/index.ts'
import type { Rule } from '../core/types.ts'
import { BASE, UNSET } from './defaults.ts'
import { ConfigError, shown } from './errors.ts'
import { fingerprint } from './fingerprint.ts'
import { type Layer, type Merged, merge, type Tree } from './merge.ts'
import { problemsOf } from './validate.ts'

/** A configuration in code: every key of a configuration file, plus your own presets, rules, checks and agents. */
export interface ProjectConfig extends Omit<ConfigPatch, 'preset' | 'extensions'> {
  /** The name of a preset, or a preset you defined. */
  readonly preset?: PresetName | (string & {}) | Preset
  readonly presets?: readonly Preset[]
  /** Evaluated after the rules that can complete a run. They can stop it or warn, but never complete it. */
  readonly rules?: readonly Rule[]
  readonly checks?: readonly OwnCheck[]
  readonly agents?: readonly OwnAgent[]
}

export interface ReadProject {
  /** The values, in the form of a configuration file. */
  readonly patch: Tree
  readonly parts: OwnParts
  /** The hash under which the custom parts are registered. Undefined if there are none. */
  readonly extensions?: string
}

/** Separates code from data and registers the code under its hash. Throws a ConfigError that lists every problem. */
export function readProject(project: ProjectConfig, fileHash?: string): ReadProject {
  const { preset, presets = [], rules = [], checks = [], agents = [], ...rest } = project
  const own = typeof preset === 'object' ? preset : undefined
  const parts = { presets: own === undefined ? presets : [own, ...presets], rules, checks, agents }
  const named = typeof preset === 'object' ? preset.name : preset
  const problems = [
    ...problemsOf(rest).map(({ text }) => text),
    ...partsProblems(parts),
    ...(named === undefined || shipped(named) !== undefined || parts.presets.some(({ name }) => name === named)
      ? []
      : problemsOf({ preset: named }).map(({ text }) => text)),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  const patch = { ...rest, ...(named === undefined ? {} : { preset: named }) }
  const names = Object.entries(parts).flatMap(([kind, list]) =>
    list.map(({ name }) => `${kind.slice(0, -1)} "${name}"`),
  )
  if (names.length === 0) return { patch, parts }
  const hash = fileHash ?? `inline-${sourceHash(project)}: ${names.join(', ')}`
  registerOwnParts(hash, parts)
  return { patch, parts, extensions: hash }
}

/** The effective configuration for library users. Later sources win: default, preset, project. Reads no file and no environment. */
export function configure(project: ProjectConfig = {}): Config {
  return mergeProject(project, () => '').config
}

/** Like `configure`, with the source of every value. */
export function mergeProject(project: ProjectConfig, label: Layer['label']): Merged {
  const { patch, parts, extensions } = readProject(project)
  const name = (patch.preset ?? BASE.preset) as string
  const preset = shipped(name) ?? parts.presets.find((each) => each.name === name)
  const layer = (each: unknown, words: Layer['label']): Layer => ({ patch: each as Tree, label: words })
  return merge(
    [
      layer(BASE, () => 'default'),
      layer(preset?.defaults ?? {}, () => `preset ${name}`),
      layer({ ...patch, ...(extensions === undefined ? {} : { extensions }) }, label),
    ],
    UNSET,
  )
}

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_ -]*$/u

function* partsProblems({ presets, rules, checks, agents }: OwnParts): Generator<string> {
  for (const [what, list, needs] of [
    ['preset', presets, 'policy'],
    ['rule', rules, 'when'],
    ['check', checks, 'run'],
    ['agent', agents, 'command'],
  ] as const) {
    const seen = new Set<string>()
    for (const part of list as readonly object[] as readonly {
      readonly name?: unknown
      readonly [key: string]: unknown
    }[]) {
      const { name } = part
      if (typeof name !== 'string' || !NAME.test(name))
        yield `the ${what} name ${shown(name)} is not allowed. Use letters, digits, spaces, "-" and "_".`
      else if (seen.has(name)) yield `two ${what}s are named ${shown(name)}. Rename one of them.`
      else if (typeof part[needs] !== 'function') yield `the ${what} ${shown(name)} needs a function "${needs}".`
      if (typeof name === 'string') seen.add(name)
    }
  }
  for (const { name } of presets)
    if (shipped(name) !== undefined) yield `the preset name ${shown(name)} is built in. Choose another name.`
  for (const { name } of checks)
    if (Object.hasOwn(CHECK_COUNTS, name)) yield `the check name ${shown(name)} is built in. Choose another name.`
  for (const { name, decision } of rules)
    if (decision?.action === 'stop' && decision.outcome === 'completed')
      yield `the rule ${shown(name)} completes a run, which only rules of a preset may do. Move it to a preset.`
}

/** Functions are hashed by their source text. */
function sourceHash({ preset, presets, rules, checks, agents }: ProjectConfig): string {
  const text = (_key: string, value: unknown) => (typeof value === 'function' ? String(value) : value)
  return fingerprint({ parts: JSON.stringify([preset, presets, rules, checks, agents], text) })
}
