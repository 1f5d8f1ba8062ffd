import type { Condition, Rule } from '../../types.ts'
import { either, finding, stops, yesNo } from '../finding.ts'

/** You pressed Ctrl+C. This comes before every other rule. */
export const interrupted: Rule = stops('interrupted', 'interrupt', 'interrupted', (facts) =>
  either('interrupted', facts.interrupted, 'you stopped the run (Ctrl+C or exitgate stop)', 'not interrupted'),
)

export const forcedFor =
  (scope: 'run' | 'phase'): Condition =>
  ({ forced }) =>
    finding(
      'forced',
      yesNo(forced?.scope === scope),
      forced?.scope === scope ? `forced by ${forced.by} (${forced.reason})` : 'not forced',
    )

/** You declare it done. It is shown as forced everywhere, never as a plain completion. */
export const forced: Rule = stops('completed', 'forced', 'forced', forcedFor('run'))
