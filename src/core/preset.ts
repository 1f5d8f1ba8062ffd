import type { Config, ConfigPatch } from './config.ts'
import type { Policy } from './types.ts'

/** A policy we ship: its defaults, the names its users know, and the policy made of the effective values. */
export interface Preset {
  readonly name: string
  readonly about: string
  readonly defaults: ConfigPatch
  /** Environment variables of the older tool -> dotted path in Config. */
  readonly env: Readonly<Record<string, string>>
  /** Dotted path that --threshold (alias --exit-threshold) sets. */
  readonly threshold?: string
  /** It writes the state files of an older system: see src/compat. */
  readonly stateFiles?: true
  readonly policy: (config: Config) => Policy
}
