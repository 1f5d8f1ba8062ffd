import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { idInBaseline } from '../baseline/stored-baseline.ts'
import { planAt, planFiles, planInBaseline, planNow, planPath } from '../plan/view.ts'
import type { Baseline, Check } from '../types.ts'
import { type Checklist, planOf } from './checklist.ts'
import { type CheckDefinition, checkOf } from './definition.ts'
import { type JudgePlanOptions, judgePlan } from './judge-plan.ts'

export interface PlanCheckOptions extends JudgePlanOptions {
  /** A file or a folder of task files, relative to the workspace. */
  readonly path: string
  /** Text of the plan after the previous iteration, as the loop remembers it. */
  readonly previous?: string
}

export const checklist: CheckDefinition = {
  name: 'checklist',
  checksFor({ config: { plan, optionalSections }, policy, context, skipped, previousPlan }) {
    if (plan === undefined || !(policy.plan.required || existsSync(join(context.workspace.dir, plan)))) return []
    return [
      planCheck({
        ...{ path: plan, optionalSections, plansOnly: policy.plan.plansOnly },
        ...(skipped === undefined ? {} : { skipped }),
        ...(previousPlan === undefined ? {} : { previous: previousPlan }),
      }),
    ]
  },
}

/** The `checklist` check: is every required item of the plan ticked, and was none of them removed instead? */
export function planCheck(options: PlanCheckOptions): Check {
  return checkOf('checklist', ({ workspace, baseline }) => {
    const resolved = { ...options, path: planPath(workspace.dir, options.path) }
    const versions = {
      now: planAt(planNow(workspace), resolved.path, resolved),
      start: baseline && planAtStart(baseline, resolved),
      previous: resolved.previous === undefined ? undefined : planOf(resolved.path, resolved.previous, resolved),
    }
    return judgePlan(versions, resolved)
  })
}

/** The plan at the start; a sentence if there was none, or if it was not kept. */
export function planAtStart(baseline: Baseline, options: JudgePlanOptions): Checklist | string {
  const { path } = options
  const view = planInBaseline(baseline)
  if (idInBaseline(baseline, path) !== undefined && view.read(path) === undefined)
    return `The original text of ${path} was not kept.`
  if (planFiles(view, path).length === 0) return `The plan ${path} did not exist at the start.`
  return planAt(view, path, options)
}
