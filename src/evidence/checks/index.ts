import { artifacts } from './artifacts.ts'
import { commands } from './command.ts'
import { criteria } from './criteria.ts'
import type { CheckDefinition } from './definition.ts'
import { documents } from './documents.ts'
import { examples } from './examples.ts'
import { git } from './git.ts'
import { heldOut } from './held-out.ts'
import { mutation } from './mutation.ts'
import { own } from './own.ts'
import { checklist } from './plan-progress.ts'
import { proven } from './proven.ts'
import { review } from './review.ts'
import { specialCased } from './special-cased.ts'
import { tampering } from './tampering.ts'
import { taskDone } from './task-done.ts'
import { tests } from './tests.ts'

/** Every check, in the order in which answers are listed. */
export const CHECKS: readonly CheckDefinition[] = [
  git,
  tampering,
  specialCased,
  tests,
  commands,
  own,
  checklist,
  taskDone,
  artifacts,
  criteria,
  documents,
  examples,
  heldOut,
  review,
  proven,
  mutation,
]
