import type { Condition, Rule } from '../../types.ts'
import { all, finding, yesNo } from '../finding.ts'
import { described } from './completion.ts'
import { forcedFor } from './person.ts'

export const inPhase =
  (phase: string): Condition =>
  (facts) =>
    finding(`phase ${phase}`, yesNo(facts.phase === phase), `the phase is ${facts.phase ?? '(none)'}`)

/** When a phase is verified, the next one starts instead of the run ending. */
export const advance = (from: string, to: string, when: Condition): Rule => ({
  name: `advance ${from}`,
  when: described(`Phase ${from} done`, all(`advance ${from}`, inPhase(from), when)),
  decision: { action: 'advance', phase: to },
})

/** You skip a phase. It is recorded as forced, its checks don't count, and skipping the last phase ends the run. */
export const skipPhase = (from: string, to: string | undefined): Rule => ({
  name: `skip ${from}`,
  when: all(`skip ${from}`, inPhase(from), forcedFor('phase')),
  decision:
    to === undefined ? { action: 'stop', outcome: 'completed', ending: 'forced' } : { action: 'advance', phase: to },
})
