import type { Config } from '../../core/config.ts'
import type { State } from '../../core/journal/events.ts'
import { policyFor } from '../../core/presets/index.ts'
import type { Task } from '../../core/run.ts'
import { openBaseline } from '../../evidence/baseline/open.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { nextTask } from './next.ts'
import { readTasks } from './read.ts'

export interface AtHand {
  readonly task?: Task
  readonly problems: readonly string[]
}

/** What the next iteration is about: the one task the run was started for, or the next one of the plan. */
export function taskAtHand(
  { workspace, dir, task }: { readonly workspace: string; readonly dir: string; readonly task?: string },
  config: Config,
  state: State,
): AtHand {
  const only = task ?? state.task
  if (only !== undefined) return { task: { id: only, title: only, done: false }, problems: [] }
  if (config.plan === undefined) return { problems: [] }
  const { baselineId, skipped = [], previous } = state
  const start = baselineId === undefined ? undefined : openBaseline(dir, { expect: baselineId })
  const { tasks, problems } = readTasks(openWorkspace(workspace), config.plan, {
    optionalSections: config.optionalSections,
    plansOnly: policyFor(config).checks.plan.plansOnly,
    ...(start === undefined ? {} : { start }),
  })
  const failing = previous?.failed === undefined ? undefined : previous.task
  const next = nextTask(tasks, { skipped, ...(failing === undefined ? {} : { failing }) })
  return { problems, ...(next === undefined ? {} : { task: next }) }
}
