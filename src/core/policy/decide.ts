import type { Decision, Facts, Finding, Policy, Verdict } from '../types.ts'
import { notVetoed } from './conditions.ts'
import { finding, openLeaves } from './finding.ts'
import { measureAll } from './measures.ts'
import { plainWords } from './plain-words.ts'

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
  const said = found.parts.filter((part) => part.answer === 'yes').map((part) => plainWords(part.detail))
  return { ...decision, warnings: said }
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
  const open = [claim, notVetoed(facts), proof, ...unproven(policy, decision, trace)].flatMap(openLeaves)
  return {
    ...decision,
    rule,
    reason: plainWords(reason),
    trace,
    missing: [...new Set(open.map((leaf) => plainWords(leaf.detail)))],
    gate: { claim: claim.answer, proof: proof.answer },
    measures: measureAll(policy.measures, facts),
  }
}

/** An end below full proof says what a verified one would have needed besides. */
function unproven(policy: Policy, decision: Decision, trace: readonly Finding[]): readonly Finding[] {
  if (decision.action !== 'stop' || decision.ending !== 'threshold') return []
  const stronger = policy.rules.filter((rule) => rule.decision.action === 'stop' && rule.decision.ending === 'verified')
  return trace.filter((found) => stronger.some((rule) => rule.name === found.name))
}
