import { headerlessBlocks } from '../bare-runs.ts'
import type { Dialect } from '../dialect.ts'
import { answerOf } from '../field-answers.ts'
import { RALPH_KEYS } from './ralph-status.ts'

/** `EXIT_SIGNAL: true` outside any block, alone or with the usual other fields. */
export const exitSignal: Dialect = {
  name: 'exit-signal',
  headerless: true,
  find: (source) =>
    headerlessBlocks('exit-signal', 'EXIT_SIGNAL', RALPH_KEYS, source).filter(({ complete }) => complete),
  claim: (fields) => answerOf(fields, 'EXIT_SIGNAL'),
}
