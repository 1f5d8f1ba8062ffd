import { realpathSync } from 'node:fs'
import type { Evidence } from '../core/types.ts'
import { readTextFile } from '../system/read-file.ts'
import type { Checklist } from './checks/checklist.ts'
import { type JudgePlanOptions, judgePlan } from './checks/judge-plan.ts'
import { planAt, planNow, planPath } from './plan/view.ts'

export interface PlanOptions extends Omit<JudgePlanOptions, 'path'> {
  /** The plan as it was at the start: items that vanished since are still open. */
  readonly before?: Checklist
  readonly tree?: string
}

/** The `checklist` check of a folder that nobody keeps a baseline of. */
export function collectPlan(dir: string, path: string, options: PlanOptions = {}): Evidence {
  const started = performance.now()
  const real = realpathSync.native(dir)
  const asked = { ...options, path: planPath(real, path) }
  const view = planNow({ dir: real, read: (file) => readTextFile(real, file) })
  const found = judgePlan({ now: planAt(view, asked.path, asked), start: options.before }, asked)
  return { check: 'checklist', ...found, ms: Math.round(performance.now() - started), tree: options.tree ?? '' }
}
