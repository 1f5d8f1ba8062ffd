import type { Config, Preset } from '../config.ts'
import type { Policy, Rule } from '../types.ts'

/** What a project adds to the decision. Code cannot be journaled, so a configuration names it by the hash of its content. */
export interface OwnParts {
  readonly presets: readonly Preset[]
  readonly rules: readonly Rule[]
}

const loaded = new Map<string, OwnParts>()

/** Makes parts known under the hash that configurations name them by. */
export function keepOwnParts(hash: string, parts: OwnParts): void {
  loaded.set(hash, parts)
}

/** The parts a configuration was loaded with. Throws when they are not the ones loaded now: no other rules may decide instead. */
export function ownPartsOf({ extensions, preset }: Config): OwnParts {
  if (extensions === undefined) return { presets: [], rules: [] }
  const parts = loaded.get(extensions)
  if (parts !== undefined) return parts
  throw new ExtensionsError(
    `this run began with other code in its configuration file (preset "${preset}", content ${extensions.slice(0, 12)}); restore that file, or start a new run`,
  )
}

/** A person can fix it, so the command line ends as for any other wrong input. */
export class ExtensionsError extends Error {
  readonly exitCode = 64
  override readonly name = 'ExtensionsError'
}

/** Own rules come after everything that can complete a run: success is decided first. */
export function withRules(policy: Policy, rules: readonly Rule[]): Policy {
  if (rules.length === 0) return policy
  const last = policy.rules.findLastIndex(
    ({ decision }) => decision.action === 'advance' || (decision.action === 'stop' && decision.outcome === 'completed'),
  )
  return { ...policy, rules: [...policy.rules.slice(0, last + 1), ...rules, ...policy.rules.slice(last + 1)] }
}
