import type { Task } from '../../core/run.ts'

export interface NextTaskOptions {
  /** Ids of tasks that a person took off the list. */
  readonly skipped: readonly string[]
  /** The task of the iteration that failed last: it stays the next one, whatever order the agent gives the plan. */
  readonly failing?: string
}

/** The first task that is neither done nor skipped; undefined when nothing is left to do. */
export function nextTask(tasks: readonly Task[], { skipped, failing }: NextTaskOptions): Task | undefined {
  const off = new Set(skipped)
  const open = tasks.filter(({ id, done }) => !done && !off.has(id))
  return open.find(({ id }) => id === failing) ?? open[0]
}
