import { ConfigError } from '../config/errors.ts'
import { merge, type Tree } from '../config/merge.ts'
import type { ProjectConfig } from '../config/project-config.ts'
import type { Config, ConfigPatch, PresetName } from '../core/config.ts'
import type { OwnAgent, OwnCheck } from '../core/own-parts.ts'
import type { Preset } from '../core/preset.ts'
import { shipped } from '../core/presets/index.ts'
import type { Policy, Rule } from '../core/types.ts'

/** Types the default export of `exitgate.config.ts` or `exitgate.config.mjs`. */
export const defineConfig = (config: ProjectConfig): ProjectConfig => config

/** Defines your own check. Its name is the key of its evidence, and you can list it in `required`. */
export const defineCheck = <const Name extends string>(check: OwnCheck<Name>): OwnCheck<Name> => check

/** Defines your own agent, for `run.agent` and `--agent`. */
export const defineAgent = (agent: OwnAgent): OwnAgent => agent

/** Defines your own rule. It can stop a run or add a warning, but not complete a run. */
export const defineRule = (rule: Rule): Rule => rule

export interface PresetDefinition {
  readonly name: string
  /** A one-sentence description. */
  readonly about?: string
  /** The preset to extend. Default: `default`. */
  readonly extends?: PresetName
  readonly defaults?: ConfigPatch
  /** Changes the policy of the extended preset. */
  readonly policy?: (base: Policy, config: Config) => Policy
}

/** Defines your own preset: an existing one with other defaults and, optionally, a changed policy. */
export function definePreset({ name, about = '', defaults = {}, policy, ...rest }: PresetDefinition): Preset {
  const base = shipped(rest.extends ?? 'default')
  if (base === undefined)
    throw new ConfigError(`the preset "${name}" extends "${rest.extends}", which is not a built-in preset.`)
  const layer = (patch: object) => ({ patch: patch as Tree, label: () => '' })
  return {
    ...base,
    name,
    about,
    defaults: merge([layer(base.defaults), layer(defaults)], []).config as ConfigPatch,
    policy(config) {
      const basePolicy = base.policy(config)
      return { ...(policy?.(basePolicy, config) ?? basePolicy), preset: name }
    },
  }
}
