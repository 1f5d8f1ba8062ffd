import type { Condition, Rule } from '../../types.ts'

/** Everything that was planned is ticked: for presets whose proof is the plan. */
export const planDone = (name: string, when: Condition): Rule => ({
  name,
  when,
  decision: { action: 'stop', outcome: 'completed', ending: 'verified' },
})
