import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** The agent names something only a person can remove. */
export const needsHuman = (limit: number): Rule => ({
  name: 'needs-human',
  when: ({ streaks, signals }) => {
    const n = streaks.blocked?.n ?? 0
    return finding(
      'needs-human',
      yesNo(n >= limit),
      n >= limit ? `the agent is blocked: ${signals.blocker}` : 'the agent names no blocker',
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})
