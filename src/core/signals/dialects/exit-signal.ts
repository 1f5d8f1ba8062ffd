import { bareRuns } from '../bare-runs.ts'
import type { Dialect } from '../dialect.ts'
import { answerOf } from '../field-answers.ts'
import { RALPH_KEYS } from './ralph-status.ts'

/** `EXIT_SIGNAL: true` outside any block, alone or among the fields that usually go with it. */
export const exitSignal: Dialect = {
  name: 'exit-signal',
  bare: true,
  find: (source) => bareRuns('exit-signal', 'EXIT_SIGNAL', RALPH_KEYS, source).filter(({ complete }) => complete),
  claim: (fields) => answerOf(fields, 'EXIT_SIGNAL'),
}
