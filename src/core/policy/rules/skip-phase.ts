import type { Rule } from '../../types.ts'
import { all } from '../finding.ts'
import { inPhase } from './advance.ts'
import { forcedFor } from './forced.ts'

/** A person skips a phase: forced, audited, and the gate of that phase is not asked. The last phase ends the run. */
export const skipPhase = (from: string, to: string | undefined): Rule => ({
  name: `skip ${from}`,
  when: all(`skip ${from}`, inPhase(from), forcedFor('phase')),
  decision:
    to === undefined ? { action: 'stop', outcome: 'completed', ending: 'forced' } : { action: 'advance', phase: to },
})
