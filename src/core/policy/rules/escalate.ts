import type { Condition, Rule } from '../../types.ts'

/** Something happened so often that a person must look at it. */
export const escalate = (name: string, when: Condition): Rule => ({
  name,
  when,
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})
