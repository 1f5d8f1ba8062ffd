import type { Facts, Policy } from '../core/types.ts'

/** What nobody asked the agent for it could not say: its silence in a dialect of the alternative tells nothing. */
export function wasNotAsked(facts: Facts, then: Policy, other: Policy): boolean {
  if (then.prompt === other.prompt) return false
  return other.claim(facts).answer === 'unknown' && !hearsEveryDialect(facts, other)
}

function hearsEveryDialect(facts: Facts, policy: Policy): boolean {
  const signals = { ...facts.signals, claim: true, source: 'another', claims: { another: true }, said: {} }
  return policy.claim({ ...facts, signals }).answer === 'yes'
}
