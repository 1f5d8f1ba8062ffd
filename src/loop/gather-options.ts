import { compatPaths } from '../compat/index.ts'
import type { Config } from '../core/config.ts'
import { policyFor } from '../core/presets/index.ts'
import type { CallersFiles } from '../evidence/callers-files.ts'
import type { GatherOptions } from '../evidence/gather.ts'
import { planNow, planPath, planText as textOfPlan } from '../evidence/plan/view.ts'
import { openWorkspace } from '../evidence/workspace.ts'
import type { Environment } from '../system/environment.ts'
import { sandboxFor } from './sandbox.ts'

export interface Place extends Pick<CallersFiles, 'loopFiles' | 'said' | 'run'> {
  readonly workspace: string
  readonly stateDir: string
  readonly config: Config
  /** The user's own prompt. */
  readonly prompt: string
  readonly task?: string | undefined
  /** The current phase, where there are phases. */
  readonly phase?: string | undefined
  readonly at: number
  /** Variables of exitgate itself; those of this process by default. */
  readonly variables?: Environment | undefined
}

/** How to gather evidence in this workspace. Only the user's own texts describe the task: prompt, task and plan. */
export function gatherOptions(place: Place): Omit<GatherOptions, 'claim'> {
  const { workspace, stateDir, config, prompt, task, phase, at, variables, loopFiles, said } = place
  return {
    dir: workspace,
    config: phase === undefined || phase === 'QA' ? config : withoutReview(config),
    checks: policyFor(config).checks,
    stateDir,
    sandbox: sandboxFor(config, { workspace, stateDir, variables }).setup,
    taskTexts: [prompt, task ?? '', planText(workspace, config) ?? ''].filter((text) => text !== ''),
    ignore: ownPaths(config),
    ...{ loopFiles, said, run: place.run },
    at,
    task,
  }
}

/** The reviewer runs only in the QA phase, not when an earlier phase claims to be done. */
function withoutReview(config: Config): Config {
  const { review: _later, ...evidence } = config.evidence
  return { ...config, evidence }
}

/** Files that exitgate writes into the workspace. */
export const ownPaths = (config: Config): readonly string[] => ['.exitgate/', ...compatPaths(config)]

/** The current plan, for a later comparison; for a folder of tasks, which of them are done. */
export function planText(workspace: string, config: Config): string | undefined {
  const { plan, optionalSections } = config
  if (plan === undefined) return undefined
  const handle = openWorkspace(workspace)
  const { plansOnly } = policyFor(config).checks.plan
  return textOfPlan(planNow(handle), planPath(handle.dir, plan), { optionalSections, plansOnly })
}
