import type { Facts, Rule } from '../../types.ts'
import { always } from '../finding.ts'

/** The last rule of every policy: not done, go on, and say why. */
export const goOn = (reason: (facts: Facts) => string): Rule => ({
  name: 'continue',
  when: always('continue', reason),
  decision: { action: 'continue', warnings: [] },
})
