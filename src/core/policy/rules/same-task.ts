import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** One task failed too many times in a row; another task starts the count again at one. */
export const sameTask = (limit: number): Rule => ({
  name: 'same-task',
  when: ({ streaks }) => {
    const n = streaks.sameTask?.n ?? 0
    return finding('same-task', yesNo(n >= limit), `Same task failed ${n} times`)
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'same-task' },
})
