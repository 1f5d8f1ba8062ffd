import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/types.ts'
import type { GatherOptions } from '../evidence/gather.ts'
import { compatPaths } from '../reports/compat/index.ts'

export interface Place {
  readonly workspace: string
  readonly stateDir: string
  readonly config: Config
  /** What the user wrote for the agent, without anything of ours. */
  readonly prompt: string
  readonly task?: string
  readonly at: number
}

/** How evidence is asked for in this workspace. What the work is say the user's own texts alone: prompt, task and plan. */
export function gatherOptions({ workspace, stateDir, config, prompt, task, at }: Place): Omit<GatherOptions, 'claim'> {
  return {
    dir: workspace,
    config,
    stateDir,
    taskTexts: [prompt, task ?? '', planText(workspace, config) ?? ''].filter((text) => text !== ''),
    ignore: ownPaths(config),
    at,
    ...(task === undefined ? {} : { task }),
  }
}

/** Our own files in the workspace: nothing of the agent's work. */
export const ownPaths = (config: Config): readonly string[] => ['.exitgate/', ...compatPaths(config)]

export function planText(workspace: string, { plan }: Config): string | undefined {
  if (plan === undefined) return undefined
  try {
    return readFileSync(join(workspace, plan), 'utf8')
  } catch {
    return undefined
  }
}
