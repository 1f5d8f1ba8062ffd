import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'
import { errorWords } from '../measures.ts'

/** The agent's text speaks of too many kinds of trouble. */
export const errors = (most: number): Rule => ({
  name: 'errors',
  when: (facts) => {
    const n = errorWords(facts) ?? 0
    return finding('errors', yesNo(n > most), n > most ? `Error count ${n} > threshold ${most}` : `Error count ${n}`)
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'errors' },
})
