import type { Backlog, BacklogTask, TaskStatus } from './types.ts'

/** Progress of the tasks that have started; all others have not. */
export interface Progress {
  /** How a task ended for its dependents. An interrupted task has not ended. */
  readonly ended: ReadonlyMap<string, 'completed' | 'failed'>
  readonly running: ReadonlySet<string>
}

export interface TaskState {
  readonly standing: TaskStatus
  /** Tasks it still waits for; for a blocked task, those that did not complete. */
  readonly waitsFor: readonly string[]
}

/** The current status of each task. */
export function taskStates({ tasks }: Pick<Backlog, 'tasks'>, progress: Progress): ReadonlyMap<string, TaskState> {
  const known = new Map(tasks.map((task) => [task.id, task]))
  const found = new Map<string, TaskState>()
  const unreachable = unreachableTasks(tasks, progress)
  for (const { id, after } of tasks) {
    const ended = progress.ended.get(id)
    const open = after.filter((each) => known.has(each) && progress.ended.get(each) !== 'completed')
    const failed = open.filter((each) => progress.ended.get(each) === 'failed' || unreachable.has(each))
    if (ended !== undefined) found.set(id, { standing: ended, waitsFor: [] })
    else if (progress.running.has(id)) found.set(id, { standing: 'running', waitsFor: [] })
    else if (failed.length > 0) found.set(id, { standing: 'blocked', waitsFor: failed })
    else found.set(id, { standing: open.length > 0 ? 'waiting' : 'ready', waitsFor: open })
  }
  return found
}

/** Tasks that can never start, because a task they depend on failed. */
function unreachableTasks(tasks: readonly BacklogTask[], { ended, running }: Progress): ReadonlySet<string> {
  const dependents = new Map<string, string[]>()
  for (const { id, after } of tasks)
    if (!ended.has(id) && !running.has(id))
      for (const each of after) dependents.set(each, [...(dependents.get(each) ?? []), id])
  const unreachable = new Set<string>()
  const queue = [...ended].flatMap(([id, how]) => (how === 'failed' ? [id] : []))
  for (let lost = queue.pop(); lost !== undefined; lost = queue.pop())
    for (const id of dependents.get(lost) ?? []) {
      if (unreachable.has(id)) continue
      unreachable.add(id)
      queue.push(id)
    }
  return unreachable
}

/** Up to `room` tasks that may start now: highest priority first, then in the order of the list. */
export function nextToStart(backlog: Pick<Backlog, 'tasks'>, progress: Progress, room: number): readonly BacklogTask[] {
  const states = taskStates(backlog, progress)
  return backlog.tasks
    .filter(({ id }) => states.get(id)?.standing === 'ready')
    .toSorted((a, b) => b.priority - a.priority)
    .slice(0, Math.max(0, room))
}
