import type { Condition, Rule } from '../../types.ts'
import { all, finding, yesNo } from '../finding.ts'
import { forcedFor } from './person.ts'

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

/** A person skips a phase: forced, audited, and the gate of that phase is not asked. The last phase ends the run. */
export const skipPhase = (from: string, to: string | undefined): Rule => ({
  name: `skip ${from}`,
  when: all(`skip ${from}`, inPhase(from), forcedFor('phase')),
  decision:
    to === undefined ? { action: 'stop', outcome: 'completed', ending: 'forced' } : { action: 'advance', phase: to },
})
