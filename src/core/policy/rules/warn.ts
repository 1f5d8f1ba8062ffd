import type { Condition, Rule } from '../../types.ts'
import { any } from '../finding.ts'

/** Go on, but say what looks wrong. Every warning that applies is said, not only the first. */
export const warn = (...conditions: readonly Condition[]): Rule => ({
  name: 'warn',
  when: any('warn', ...conditions),
  decision: { action: 'continue', warnings: [] },
})
