import { CHECK_COUNTS } from '../core/check-counts.ts'
import type { Config, ConfigPatch, PresetName } from '../core/config.ts'
import { keepOwnParts, type OwnAgent, type OwnCheck, type OwnParts } from '../core/own-parts.ts'
import type { Preset } from '../core/preset.ts'
import { shipped } from '../core/presets/index.ts'
import type { Rule } from '../core/types.ts'
import { BASE, UNSET } from './defaults.ts'
import { ConfigError, shown } from './errors.ts'
import { fingerprint } from './fingerprint.ts'
import { type Layer, type Merged, merge, type Tree } from './merge.ts'
import { problemsOf } from './validate.ts'

/** A configuration in code: the keys of a configuration file, and parts of your own. */
export interface ProjectConfig extends Omit<ConfigPatch, 'preset' | 'extensions'> {
  /** The name of a preset, or one of your own. */
  readonly preset?: PresetName | (string & {}) | Preset
  readonly presets?: readonly Preset[]
  /** Asked after the rules that can complete a run, so they can stop it or warn, never complete it. */
  readonly rules?: readonly Rule[]
  readonly checks?: readonly OwnCheck[]
  readonly agents?: readonly OwnAgent[]
}

export interface ReadProject {
  /** As a configuration file would say it. */
  readonly patch: Tree
  readonly parts: OwnParts
  /** Under which the parts are known; undefined when there are none. */
  readonly extensions?: string
}

/** Takes code and data apart, and makes the code known under its hash. Throws a ConfigError that names everything wrong. */
export function readProject(project: ProjectConfig, hash = `inline-${sourceHash(project)}`): ReadProject {
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
  if (Object.values(parts).every((list) => list.length === 0)) return { patch, parts }
  keepOwnParts(hash, parts)
  return { patch, parts, extensions: hash }
}

/** The effective configuration of a library user: default < preset < project. No file and no environment is read. */
export function configure(project: ProjectConfig = {}): Config {
  return merged(project, () => '').config
}

/** The same, with where every value came from. */
export function merged(project: ProjectConfig, label: Layer['label']): Merged {
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
        yield `a ${what} has the name ${shown(name)}; a name is made of letters, digits, spaces, "-" and "_".`
      else if (seen.has(name)) yield `two definitions have the name ${shown(name)} (${what}); names must differ.`
      else if (typeof part[needs] !== 'function') yield `the ${what} ${shown(name)} needs a function "${needs}".`
      if (typeof name === 'string') seen.add(name)
    }
  }
  for (const { name } of presets)
    if (shipped(name) !== undefined) yield `the preset ${shown(name)} is one of exitgate's own; choose another name.`
  for (const { name } of checks)
    if (Object.hasOwn(CHECK_COUNTS, name))
      yield `the check ${shown(name)} is one of exitgate's own; choose another name.`
  for (const { name, decision } of rules)
    if (decision?.action === 'stop' && decision.outcome === 'completed')
      yield `the rule ${shown(name)} completes a run; only a preset can do that.`
}

/** The same source text gives the same hash. */
function sourceHash(project: ProjectConfig): string {
  const { preset, presets, rules, checks, agents } = project
  const text = (value: unknown): unknown =>
    typeof value === 'function'
      ? String(value)
      : Array.isArray(value)
        ? value.map(text)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, text(inner)]))
          : value
  return fingerprint({ parts: text([preset, presets, rules, checks, agents]) })
}
