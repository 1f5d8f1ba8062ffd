import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** A person pressed Ctrl+C: nothing is asked before that. */
export const interrupted: Rule = {
  name: 'interrupted',
  when: (facts) =>
    finding(
      'interrupted',
      yesNo(facts.interrupted),
      facts.interrupted ? 'a person interrupted the run' : 'nobody interrupted',
    ),
  decision: { action: 'stop', outcome: 'interrupted', ending: 'interrupt' },
}
