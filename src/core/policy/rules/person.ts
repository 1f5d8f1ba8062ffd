import type { Condition, Rule } from '../../types.ts'
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

export const forcedFor =
  (scope: 'run' | 'phase'): Condition =>
  ({ forced }) =>
    finding(
      'forced',
      yesNo(forced?.scope === scope),
      forced?.scope === scope ? `${forced.by} forced it: ${forced.reason}` : 'nobody forced it',
    )

/** A person says that it is done. Shown as forced everywhere, never as a plain completion. */
export const forced: Rule = {
  name: 'forced',
  when: forcedFor('run'),
  decision: { action: 'stop', outcome: 'completed', ending: 'forced' },
}
