import type { Config, Preset, PresetName } from '../config.ts'
import type { Policy } from '../types.ts'
import { preset as blackbox } from './blackbox.ts'
import { preset as cub } from './cub.ts'
import { preset as byDefault } from './default.ts'
import { preset as doyaken } from './doyaken.ts'
import { preset as gsd } from './gsd.ts'
import { preset as prp } from './prp.ts'
import { preset as ralph } from './ralph.ts'

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

/** The policy that a configuration describes. */
export const policyFor = (config: Config): Policy => PRESETS[config.preset].policy(config)
