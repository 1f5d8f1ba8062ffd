import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** The agent keeps saying "done" and no check can answer: a person must say how to verify. */
export const unverifiable = (limit: number): Rule => ({
  name: 'unverifiable',
  when: ({ streaks }) => {
    const n = streaks.unverifiable?.n ?? 0
    return finding(
      'unverifiable',
      yesNo(n >= limit),
      n >= limit
        ? `the agent said that it is done ${n} times and no check could answer; name a test command in the configuration`
        : `${n} claims that no check could answer`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'unverifiable' },
})
