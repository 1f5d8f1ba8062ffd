import { withLeftRunning } from '../../../packages/core/src/left-running.ts'
import { plainWords } from '../../../packages/core/src/plain-words.ts'
import { passedSentence } from '../../../packages/exitgate/src/checks/proven.ts'
import type { BreakerTransition, Decision, Facts, Finding, Observation, Policy, Verdict } from '../types.ts'
import { type Charged, close } from './breaker.ts'
import { notVetoed } from './conditions.ts'
import { finding, openLeaves } from './finding.ts'
import { type Before, look } from './look.ts'
import { measureAll } from './measures.ts'
import { AGENT_RULES } from './rules/failing.ts'

/** What the next iteration starts with. */
export type After = Omit<Before, 'previous' | 'baseline' | 'iterations'>

export interface DecidedIteration {
  readonly facts: Facts
  readonly verdict: Verdict
  readonly after: After
  readonly transitions: readonly BreakerTransition[]
}

/** One iteration from state and observation to verdict and counters. The loop, `check`, hooks and replay all use it. */
export function decideIteration(
  before: Before,
  observation: Observation,
  policy: Policy,
  at: number,
): DecidedIteration {
  const { facts, rested, charged } = look(before, observation, policy, at)
  const verdict = decide(facts, policy)
  const advances = verdict.action === 'advance'
  const phase = advances ? verdict.phase : facts.phase
  const { breaker, transitions } = settle(verdict, facts, charged)
  return {
    facts,
    verdict,
    after: {
      ...(phase === undefined ? {} : { phase }),
      phaseIteration: advances ? 0 : facts.phaseIteration,
      streaks: cutShort(verdict) ? before.streaks : facts.streaks,
      breaker,
      total: facts.total,
      trees: facts.trees,
    },
    transitions: [...rested, ...transitions],
  }
}

/** A success or an interrupted iteration never counts as a failure. */
function settle(verdict: Verdict, facts: Facts, charged: readonly BreakerTransition[]): Charged {
  const succeeded = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  if (succeeded) return close(facts.breaker, 'the iteration counts as a success')
  if (cutShort(verdict)) return { breaker: facts.breaker, transitions: [] }
  if (blamesAgent(verdict)) return close(facts.breaker, "the agent's own errors ended the run")
  return { breaker: facts.charged, transitions: charged }
}

/** Its errors say nothing about the task, so the next run is not stuck. */
const blamesAgent = ({ rule }: Verdict): boolean => AGENT_RULES.includes(rule)

const cutShort = (verdict: Verdict): boolean => verdict.action === 'stop' && verdict.outcome === 'interrupted'

/** The decision: the first rule that applies. Pure: the same facts give the same verdict. */
export function decide(facts: Facts, policy: Policy): Verdict {
  const trace: Finding[] = []
  for (const rule of policy.rules) {
    const found = rule.when(facts)
    trace.push(finding(rule.name, found.answer, found.detail, found.parts))
    if (found.answer === 'yes')
      return verdict(facts, policy, rule.name, ...endedBy(rule.decision, found, facts, policy), trace)
  }
  return verdict(facts, policy, 'continue', { action: 'continue', warnings: [] }, 'no rule stopped the run', trace)
}

/** Every rule's finding, also of those after the deciding one, for `explain`. */
export function askAll(facts: Facts, policy: Policy): readonly Finding[] {
  return policy.rules.map((rule) => ({ ...rule.when(facts), name: rule.name }))
}

/** Only proven work is `verified`. */
function endedBy(decision: Decision, found: Finding, { evidence }: Facts, { checks }: Policy): [Decision, string] {
  const isShown = checks.verifiesAll === true || evidence.proven?.answer === 'yes'
  if (decision.action !== 'stop' || decision.ending !== 'verified' || isShown)
    return [withWarnings(decision, found), found.detail]
  return [{ ...decision, ending: 'passed' }, passedSentence(found.detail, evidence.proven)]
}

function withWarnings(decision: Decision, found: Finding): Decision {
  if (decision.action !== 'continue' || !found.parts) return decision
  const warnings = found.parts.filter((part) => part.answer === 'yes').map((part) => plainWords(part.detail))
  return { ...decision, warnings }
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
    reason: plainWords(withLeftRunning(reason, facts.leftRunning)),
    trace,
    missing: [...new Set(open.map((leaf) => plainWords(leaf.detail)))],
    gate: { claim: claim.answer, proof: proof.answer },
    measures: measureAll(policy.measures, facts),
  }
}

/** An end without full proof lists what a verified one would also need. */
function unproven(policy: Policy, decision: Decision, trace: readonly Finding[]): readonly Finding[] {
  if (decision.action !== 'stop' || decision.ending !== 'threshold') return []
  const stronger = policy.rules.filter((rule) => rule.decision.action === 'stop' && rule.decision.ending === 'verified')
  return trace.filter((found) => stronger.some((rule) => rule.name === found.name))
}
