import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** The agent keeps saying "done" and no check can answer: a person must say how to verify. */
export const unverifiable = (limit: number): Rule => ({
  name: 'unverifiable',
  when: ({ streaks, evidence }) => {
    const n = streaks.unverifiable?.n ?? 0
    const remedy =
      evidence.flakes === undefined
        ? 'name a test command in the configuration'
        : 'tests change their mind on the same files: mend them, or name them in evidence.quarantine'
    return finding(
      'unverifiable',
      yesNo(n >= limit),
      n >= limit
        ? `the agent said that it is done ${n} times and no check could answer; ${remedy}`
        : `${n} claims that no check could answer`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'unverifiable' },
})
