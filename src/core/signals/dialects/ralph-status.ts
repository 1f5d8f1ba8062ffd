import { type Dialect, linesOf } from '../dialect.ts'
import { firstAnswer } from '../field-answers.ts'
import { headedBlocks } from '../headed-blocks.ts'
import { markedBlocks } from '../marked-blocks.ts'

export const RALPH_KEYS = new Set([
  'STATUS',
  'TASKS_COMPLETED_THIS_LOOP',
  'FILES_MODIFIED',
  'TESTS_STATUS',
  'WORK_TYPE',
  'EXIT_SIGNAL',
  'RECOMMENDATION',
  'REASON',
  'BLOCKERS',
  'CURRENT_TASK',
  'TASK',
])

/** ---RALPH_STATUS--- blocks, and their YAML form under `RALPH_STATUS:`. STATUS counts only without EXIT_SIGNAL. */
export const ralphStatus: Dialect = {
  name: 'ralph-status',
  requiredField: 'EXIT_SIGNAL',
  find: ({ lines }) => {
    const marked = markedBlocks('ralph-status', 'RALPH_STATUS', lines)
    const headed = headedBlocks('ralph-status', 'RALPH_STATUS', RALPH_KEYS, lines)
    const held = linesOf(marked)
    return [...marked, ...headed.filter(({ at }) => !held.has(at))]
  },
  claim: (fields) => firstAnswer(fields, 'EXIT_SIGNAL', 'STATUS'),
}
