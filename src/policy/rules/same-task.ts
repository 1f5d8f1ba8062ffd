import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** One task failed too many times in a row; another task starts the count again at one. */
export const sameTask = (limit: number): Rule => ({
  name: 'same-task',
  when: ({ streaks }) => {
    const { n = 0, key } = streaks.sameTask ?? {}
    return finding('same-task', yesNo(n >= limit), `Same task failed ${n} times${key ? ` (${key})` : ''}`)
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'same-task' },
})
