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

/** Every built-in policy. The program loads those of the older systems only when one of them is read. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  default: byDefault,
  get cub() {
    return cub
  },
  get prp() {
    return prp
  },
  get doyaken() {
    return doyaken
  },
  get blackbox() {
    return blackbox
  },
  get gsd() {
    return gsd
  },
  get ralph() {
    return ralph
  },
}

/** The built-in preset with this name. */
export const shipped = (name: string): Preset | undefined =>
  Object.hasOwn(PRESETS, name) ? PRESETS[name as PresetName] : undefined

/** The preset of a configuration: built in, or defined in its file. */
export function presetOf(config: Config): Preset {
  const preset = shipped(config.preset) ?? ownPartsOf(config).presets.find(({ name }) => name === config.preset)
  if (preset === undefined) throw new RangeError(`unknown preset "${config.preset}"`)
  return preset
}

/** The policy of a configuration. A preset in plain JavaScript may lack `checks`. */
export function policyFor(config: Config): Policy {
  const policy = presetOf(config).policy(config)
  // Older journals don't say what was proven.
  const earlier = config.evidence?.proof === undefined && { verifiesAll: true as const }
  return withRules({ ...policy, checks: { ...(policy.checks ?? commonChecks), ...earlier } }, ownPartsOf(config).rules)
}

/** Like `policyFor`, for a past run. Undefined if the code of its configuration isn't loaded. */
export const policyIfLoaded = (config: Config): Policy | undefined =>
  ownPartsLoaded(config) ? policyFor(config) : undefined
