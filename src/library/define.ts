import { ConfigError } from '../config/errors.ts'
import { merge, type Tree } from '../config/merge.ts'
import type { ProjectConfig } from '../config/project-config.ts'
import type { Config, ConfigPatch, PresetName } from '../core/config.ts'
import type { OwnAgent, OwnCheck } from '../core/own-parts.ts'
import type { Preset } from '../core/preset.ts'
import { shipped } from '../core/presets/index.ts'
import type { Policy, Rule } from '../core/types.ts'

/** The default export of `exitgate.config.ts` or `exitgate.config.mjs`. */
export const defineConfig = (config: ProjectConfig): ProjectConfig => config

/** A check of your own. Its name is the key of its evidence, and `required` can name it. */
export const defineCheck = <const Name extends string>(check: OwnCheck<Name>): OwnCheck<Name> => check

/** An agent of your own, for `run.agent` and `--agent`. */
export const defineAgent = (agent: OwnAgent): OwnAgent => agent

/** A rule of your own: it can stop a run or add a warning. */
export const defineRule = (rule: Rule): Rule => rule

export interface PresetDefinition {
  readonly name: string
  /** One sentence about it. */
  readonly about?: string
  /** The preset it starts from; `default` unless given. */
  readonly extends?: PresetName
  readonly defaults?: ConfigPatch
  /** Changes the policy of the preset it extends. */
  readonly policy?: (base: Policy, config: Config) => Policy
}

/** A preset of your own: another preset with other defaults, and with a changed policy where you give one. */
export function definePreset({ name, about = '', defaults = {}, policy, ...rest }: PresetDefinition): Preset {
  const base = shipped(rest.extends ?? 'default')
  if (base === undefined) throw new ConfigError(`the preset "${name}" extends "${rest.extends}", which does not exist.`)
  const layer = (patch: object) => ({ patch: patch as Tree, label: () => '' })
  return {
    ...base,
    name,
    about,
    defaults: merge([layer(base.defaults), layer(defaults)], []).config as ConfigPatch,
    policy(config) {
      const made = base.policy(config)
      return { ...(policy?.(made, config) ?? made), preset: name }
    },
  }
}
