import type { Config } from '../core/config.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'
import { type ConfigWithPolicy, comparableFacts, type Seen } from './comparable-facts.ts'
import type { Alternative } from './types.ts'

/** The recorded configuration, the alternative one, and what the alternative would have seen. */
export interface Pair {
  readonly then: ConfigWithPolicy
  readonly other: ConfigWithPolicy
  readonly seen: Seen
}

/** Undefined if the code of one of the two is missing. */
export type PairLookup = (config: Config) => Pair | undefined

/** Most runs of a journal have the same configuration, so each is paired only once. */
export function pairsWith(alternative: Alternative, policyFor: PolicyLookup): PairLookup {
  const known = new Map<Config, Pair | undefined>()
  return (config) => {
    if (!known.has(config)) known.set(config, pairOf(config, alternative, policyFor))
    return known.get(config)
  }
}

function pairOf(config: Config, alternative: Alternative, policyFor: PolicyLookup): Pair | undefined {
  const policy = policyFor(config)
  // The alternative may need the recorded preset, which is code, so it is computed only if the code is available.
  const other = policy === undefined ? config : alternative.config(config)
  const policyOfOther = other === config ? policy : policyFor(other)
  if (policy === undefined || policyOfOther === undefined) return undefined
  const then = { config, policy }
  const configured = { config: other, policy: policyOfOther }
  return { then, other: configured, seen: comparableFacts(then, configured) }
}
