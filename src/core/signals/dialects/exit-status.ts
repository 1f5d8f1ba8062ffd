import { headerlessBlocks } from '../bare-runs.ts'
import type { Dialect } from '../dialect.ts'
import { answerOf } from '../field-answers.ts'
import { lastValue } from '../fields.ts'

const KEYS = new Set(['EXIT_STATUS', 'EXIT_REASON', 'REMAINING_WORK', 'EXIT_CONFIDENCE', 'EXIT_OVERRIDE'])

/** EXIT_STATUS: COMPLETE | CONTINUE | BLOCKED, with a reason and the remaining work. */
export const exitStatus: Dialect = {
  name: 'exit-status',
  headerless: true,
  // Remaining work without EXIT_STATUS still means "not done".
  find: (source) =>
    headerlessBlocks('exit-status', 'EXIT_STATUS', KEYS, source).filter(
      ({ complete, fields }) => complete || lastValue(fields, 'REMAINING_WORK') !== undefined,
    ),
  claim: (fields) => answerOf(fields, 'EXIT_STATUS'),
}
