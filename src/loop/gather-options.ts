import { compatPaths } from '../compat/index.ts'
import type { Config } from '../core/config.ts'
import { policyFor } from '../core/presets/index.ts'
import type { GatherOptions } from '../evidence/gather.ts'
import { planNow, planPath, planText as textOfPlan } from '../evidence/plan/view.ts'
import { openWorkspace } from '../evidence/workspace.ts'
import { sandboxFor } from './sandbox.ts'

export interface Place {
  readonly workspace: string
  readonly stateDir: string
  readonly config: Config
  /** What the user wrote for the agent, without anything of ours. */
  readonly prompt: string
  readonly task?: string | undefined
  /** The current phase, where there are phases. */
  readonly phase?: string | undefined
  readonly at: number
}

/** How evidence is asked for in this workspace. What the work is say the user's own texts alone: prompt, task and plan. */
export function gatherOptions(place: Place): Omit<GatherOptions, 'claim'> {
  const { workspace, stateDir, config, prompt, task, phase, at } = place
  return {
    dir: workspace,
    config: phase === undefined || phase === 'QA' ? config : withoutReview(config),
    checks: policyFor(config).checks,
    stateDir,
    sandbox: sandboxFor(config, { workspace, stateDir }).setup,
    taskTexts: [prompt, task ?? '', planText(workspace, config) ?? ''].filter((text) => text !== ''),
    ignore: ownPaths(config),
    at,
    ...(task === undefined ? {} : { task }),
  }
}

/** A reviewer is asked in the phase that is for it, not whenever an earlier one is said to be done. */
function withoutReview(config: Config): Config {
  const { review: _later, ...evidence } = config.evidence
  return { ...config, evidence }
}

/** Our own files in the workspace: nothing of the agent's work. */
export const ownPaths = (config: Config): readonly string[] => ['.exitgate/', ...compatPaths(config)]

/** The plan as it stands, to be compared with later; of a folder of tasks, which of them are done. */
export function planText(workspace: string, config: Config): string | undefined {
  const { plan, optionalSections } = config
  if (plan === undefined) return undefined
  const handle = openWorkspace(workspace)
  const { plansOnly } = policyFor(config).checks.plan
  return textOfPlan(planNow(handle), planPath(handle.dir, plan), { optionalSections, plansOnly })
}
