import type { Condition, Rule } from '../../types.ts'
import { notRefuted, notVetoed, said } from '../conditions.ts'
import { all, either, finding, stops, yesNo } from '../finding.ts'
import { verifiedSentence } from '../sentence.ts'

export const gate = (claim: Condition, proof: Condition): Rule => planDone('gate', gateOf(claim, proof))

/** Claim and proof in the same iteration, and no explicit "not done". */
export const gateOf = (claim: Condition, proof: Condition): Condition => all('gate', claim, notVetoed, proof)

/** The same condition, with one sentence about everything that passed. */
export const described =
  (start: string, condition: Condition): Condition =>
  (facts) => {
    const found = condition(facts)
    const { answer, parts } = found
    return answer === 'yes' && parts ? { ...found, detail: verifiedSentence(facts, parts, start) } : found
  }

/** Every item of the plan is ticked: for presets whose proof is the plan. */
export const planDone = (name: string, when: Condition): Rule =>
  stops('completed', 'verified', name, described('Verified', when))

/** The preset counts it as done without full proof. The verdict shows that. */
export const threshold = (name: string, when: Condition): Rule =>
  stops('completed', 'threshold', name, described('Completed, not fully verified', when))

/** The agent asks to skip the threshold. It needs your configuration's permission, no failing tests and no open breaker. */
export const agentOverride = (allowed: boolean, claim: Condition): Rule =>
  stops(
    'completed',
    'threshold',
    'agent-override',
    all(
      'agent-override',
      () => either('allowed', allowed, 'the configuration allows it', 'the configuration does not allow it'),
      said('EXIT_OVERRIDE', true, 'the agent asks for an override'),
      said('EXIT_CONFIDENCE', 'HIGH', 'the agent reports high confidence'),
      claim,
      notVetoed,
      notRefuted('tests'),
      breakerNotOpen,
    ),
  )

const breakerNotOpen: Condition = ({ breaker }) =>
  finding('breaker', yesNo(breaker.state !== 'open'), `the circuit breaker is ${breaker.state}`)
