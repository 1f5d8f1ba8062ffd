import type { Dialect } from '../dialect.ts'
import { answerOf } from '../field-answers.ts'
import { headedBlocks } from '../headed-blocks.ts'

const KEYS = new Set(['PHASE_COMPLETE', 'FILES_MODIFIED', 'TESTS_STATUS', 'CONFIDENCE', 'REMAINING_WORK'])

/** DOYAKEN_STATUS: followed by fields. PHASE_COMPLETE is the claim. */
export const doyakenStatus: Dialect = {
  name: 'doyaken-status',
  find: ({ lines }) => headedBlocks('doyaken-status', 'DOYAKEN_STATUS', KEYS, lines),
  claim: (fields) => answerOf(fields, 'PHASE_COMPLETE'),
}
