import type { Config, ConfigPatch } from '../core/config.ts'
import { shipped } from '../core/presets/index.ts'
import { BASE, UNSET } from './defaults.ts'
import { ConfigError } from './errors.ts'
import { type Layer, merge, type Tree } from './merge.ts'
import { problemsOf } from './validate.ts'

/** The effective configuration for a library user: default < preset < patch. No file and no environment is read. */
export function configure(patch: ConfigPatch = {}): Config {
  const problems = problemsOf(patch as Tree)
  if (problems.length > 0) throw new ConfigError(problems.map(({ text }) => text))
  const layers = [BASE, shipped(patch.preset ?? BASE.preset)?.defaults ?? {}, patch]
  return merge(
    layers.map((each): Layer => ({ patch: each as unknown as Tree, label: () => '' })),
    UNSET,
  ).config
}
