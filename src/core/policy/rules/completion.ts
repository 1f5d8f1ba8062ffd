import type { Condition, Rule } from '../../types.ts'
import { notRefuted, notVetoed, said } from '../conditions.ts'
import { all, finding, yesNo } from '../finding.ts'

export const gate = (claim: Condition, proof: Condition): Rule => ({
  name: 'gate',
  when: gateOf(claim, proof),
  decision: { action: 'stop', outcome: 'completed', ending: 'verified' },
})

/** Both keys turn in the same iteration, and no explicit "not done" stands. */
export const gateOf = (claim: Condition, proof: Condition): Condition => all('gate', claim, notVetoed, proof)

/** Everything that was planned is ticked: for presets whose proof is the plan. */
export const planDone = (name: string, when: Condition): Rule => ({
  name,
  when,
  decision: { action: 'stop', outcome: 'completed', ending: 'verified' },
})

/** The preset calls it done by its own count although not everything is proven; the verdict shows it as such. */
export const threshold = (name: string, when: Condition): Rule => ({
  name,
  when,
  decision: { action: 'stop', outcome: 'completed', ending: 'threshold' },
})

/** The agent asks to skip the threshold. Only where the user allowed it, and never past failing tests or an open breaker. */
export const agentOverride = (allowed: boolean, claim: Condition): Rule => ({
  name: 'agent-override',
  when: all(
    'agent-override',
    () =>
      finding(
        'allowed',
        yesNo(allowed),
        allowed ? 'the configuration allows it' : 'the configuration does not allow it',
      ),
    said('EXIT_OVERRIDE', true, 'the agent asks for an override'),
    said('EXIT_CONFIDENCE', 'HIGH', 'the agent says that its confidence is high'),
    claim,
    notVetoed,
    notRefuted('tests'),
    breakerNotOpen,
  ),
  decision: { action: 'stop', outcome: 'completed', ending: 'threshold' },
})

const breakerNotOpen: Condition = ({ breaker }) =>
  finding('breaker', yesNo(breaker.state !== 'open'), `the breaker is ${breaker.state}`)
