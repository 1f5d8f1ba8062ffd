import type { Dialect } from '../dialect.ts'
import { doyakenStatus } from './doyaken-status.ts'
import { exitSignal } from './exit-signal.ts'
import { exitStatus } from './exit-status.ts'
import { jsonFields } from './json-fields.ts'
import { promise } from './promise.ts'
import { prpPhaseStatus } from './prp-phase-status.ts'
import { ralphStatus } from './ralph-status.ts'
import { tool } from './tool.ts'

/** Every dialect. Their order has no meaning. */
export const dialects: readonly Dialect[] = [
  doyakenStatus,
  exitSignal,
  exitStatus,
  jsonFields,
  promise,
  prpPhaseStatus,
  ralphStatus,
  tool,
]
