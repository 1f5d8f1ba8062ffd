import type { Condition, Rule } from '../../types.ts'
import { notRefuted, notVetoed, said } from '../conditions.ts'
import { all, finding, yesNo } from '../finding.ts'

const breakerNotOpen: Condition = ({ breaker }) =>
  finding('breaker', yesNo(breaker.state !== 'open'), `the breaker is ${breaker.state}`)

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
