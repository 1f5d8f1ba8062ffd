import type { Decision, Facts, Finding, Policy, Verdict } from '../types.ts'
import { notVetoed } from './conditions.ts'
import { finding, openLeaves } from './finding.ts'
import { measureAll } from './measures.ts'

/** The one decision of exitgate: the first rule that says yes. Pure; the same facts give the same verdict. */
export function decide(facts: Facts, policy: Policy): Verdict {
  const trace: Finding[] = []
  for (const rule of policy.rules) {
    const found = rule.when(facts)
    trace.push(finding(rule.name, found.answer, found.detail, found.parts))
    if (found.answer === 'yes')
      return verdict(facts, policy, rule.name, withWarnings(rule.decision, found), found.detail, trace)
  }
  return verdict(facts, policy, 'continue', { action: 'continue', warnings: [] }, 'no rule says stop', trace)
}

/** Every rule's finding, also of those behind the deciding one: what `explain` shows. */
export function askAll(facts: Facts, policy: Policy): readonly Finding[] {
  return policy.rules.map((rule) => ({ ...rule.when(facts), name: rule.name }))
}

function withWarnings(decision: Decision, found: Finding): Decision {
  if (decision.action !== 'continue' || !found.parts) return decision
  return { ...decision, warnings: found.parts.filter((part) => part.answer === 'yes').map((part) => part.detail) }
}

function verdict(
  facts: Facts,
  policy: Policy,
  rule: string,
  decision: Decision,
  reason: string,
  trace: readonly Finding[],
): Verdict {
  const claim = policy.claim(facts)
  const proof = policy.proof(facts)
  const verified = decision.action !== 'continue' && claim.answer === 'yes' && proof.answer === 'yes'
  const open = verified ? [] : [claim, notVetoed(facts), proof].flatMap(openLeaves)
  return {
    ...decision,
    rule,
    reason,
    trace,
    missing: [...new Set(open.map((leaf) => leaf.detail))],
    gate: { claim: claim.answer, proof: proof.answer },
    measures: measureAll(policy.measures, facts),
  }
}
