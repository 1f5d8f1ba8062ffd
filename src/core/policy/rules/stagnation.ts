import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** A streak of iterations without what the preset calls progress is long enough. */
export const stagnation = (name: string, streak: string, limit: number, words: (n: number) => string): Rule => ({
  name,
  when: ({ streaks }) => {
    const n = streaks[streak]?.n ?? 0
    return finding(name, yesNo(n >= limit), words(n))
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'stagnation' },
})
