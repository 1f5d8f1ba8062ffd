import type { Condition, Rule } from '../../types.ts'
import { all, finding, yesNo } from '../finding.ts'

export const inPhase =
  (phase: string): Condition =>
  (facts) =>
    finding(`phase ${phase}`, yesNo(facts.phase === phase), `the phase is ${facts.phase ?? '(none)'}`)

/** The gate of one phase opens the next phase instead of ending the run. */
export const advance = (from: string, to: string, when: Condition): Rule => ({
  name: `advance ${from}`,
  when: all(`advance ${from}`, inPhase(from), when),
  decision: { action: 'advance', phase: to },
})
