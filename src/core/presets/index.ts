import type { Config, PresetName } from '../config.ts'
import { ownPartsLoaded, ownPartsOf, withRules } from '../own-parts.ts'
import type { Preset } from '../preset.ts'
import type { Policy } from '../types.ts'
import { preset as blackbox } from './blackbox.ts'
import { preset as cub } from './cub.ts'
import { preset as byDefault } from './default.ts'
import { preset as doyaken } from './doyaken.ts'
import { preset as gsd } from './gsd.ts'
import { preset as prp } from './prp.ts'
import { preset as ralph } from './ralph.ts'
import { commonChecks } from './shared.ts'

/** Every policy we ship. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  default: byDefault,
  cub,
  prp,
  doyaken,
  blackbox,
  gsd,
  ralph,
}

/** The preset of this name among those we ship. */
export const shipped = (name: string): Preset | undefined =>
  Object.hasOwn(PRESETS, name) ? PRESETS[name as PresetName] : undefined

/** The preset a configuration follows: one we ship, or one that its file defines. */
export function presetOf(config: Config): Preset {
  const preset = shipped(config.preset) ?? ownPartsOf(config).presets.find(({ name }) => name === config.preset)
  if (preset === undefined) throw new RangeError(`there is no preset "${config.preset}"`)
  return preset
}

/** The policy that a configuration describes. A preset in plain JavaScript may say nothing about checks. */
export function policyFor(config: Config): Policy {
  const policy = presetOf(config).policy(config)
  return withRules({ ...policy, checks: policy.checks ?? commonChecks }, ownPartsOf(config).rules)
}

/** The same for a run of the past: undefined when the code that its configuration names is not loaded. */
export const policyIfLoaded = (config: Config): Policy | undefined =>
  ownPartsLoaded(config) ? policyFor(config) : undefined
