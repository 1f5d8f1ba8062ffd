import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** The agent keeps saying "done", the proof keeps saying no, and nothing gets better in between. */
export const hollowClaims = (limit: number): Rule => ({
  name: 'hollow-claims',
  when: ({ streaks }) => {
    const n = streaks.hollowClaims?.n ?? 0
    return finding(
      'hollow-claims',
      yesNo(n >= limit),
      `the agent said that it is done ${n} times in a row and the proof said no`,
    )
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'hollow-claims' },
})
