import type { Condition, Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

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
