import type { Config, ConfigPatch } from './config.ts'
import type { Policy } from './types.ts'

/** A built-in policy: its defaults, its environment variables, and a function from the configuration to the policy. */
export interface Preset {
  readonly name: string
  readonly about: string
  readonly defaults: ConfigPatch
  /** Environment variables of the older tool -> dotted path in Config. */
  readonly env: Readonly<Record<string, string>>
  /** Dotted path that --threshold (alias --exit-threshold) sets. */
  readonly threshold?: string
  /** Whether it writes the state files of an older tool. See src/compat. */
  readonly stateFiles?: true
  readonly policy: (config: Config) => Policy
}
