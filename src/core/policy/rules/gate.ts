import type { Condition, Rule } from '../../types.ts'
import { notVetoed } from '../conditions.ts'
import { all } from '../finding.ts'

/** Both keys turn in the same iteration, and no explicit "not done" stands. */
export const gateOf = (claim: Condition, proof: Condition): Condition => all('gate', claim, notVetoed, proof)

export const gate = (claim: Condition, proof: Condition): Rule => ({
  name: 'gate',
  when: gateOf(claim, proof),
  decision: { action: 'stop', outcome: 'completed', ending: 'verified' },
})
