import { bareRuns } from '../bare-runs.ts'
import type { Dialect } from '../dialect.ts'
import { answerOf } from '../field-answers.ts'
import { lastOf } from '../fields.ts'

const KEYS = new Set(['EXIT_STATUS', 'EXIT_REASON', 'REMAINING_WORK', 'EXIT_CONFIDENCE', 'EXIT_OVERRIDE'])

/** EXIT_STATUS: COMPLETE | CONTINUE | BLOCKED, with its reason and what remains. */
export const exitStatus: Dialect = {
  name: 'exit-status',
  bare: true,
  // Without EXIT_STATUS a run still matters when it names remaining work: that is a "not done".
  find: (source) =>
    bareRuns('exit-status', 'EXIT_STATUS', KEYS, source).filter(
      ({ complete, fields }) => complete || lastOf(fields, 'REMAINING_WORK') !== undefined,
    ),
  claim: (fields) => answerOf(fields, 'EXIT_STATUS'),
}
