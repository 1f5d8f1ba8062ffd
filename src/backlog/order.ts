import type { Backlog, BacklogTask, TaskStanding } from './types.ts'

/** What is known of tasks that were begun: whoever is not named has not been begun. */
export interface Progress {
  /** How a task ended for those that wait for it. One that was interrupted has not ended. */
  readonly ended: ReadonlyMap<string, 'completed' | 'failed'>
  readonly running: ReadonlySet<string>
}

export interface Standing {
  readonly standing: TaskStanding
  /** Tasks it still waits for; of one that is blocked, those that did not complete. */
  readonly waitsFor: readonly string[]
}

/** Where each task stands. */
export function standings({ tasks }: Pick<Backlog, 'tasks'>, progress: Progress): ReadonlyMap<string, Standing> {
  const known = new Map(tasks.map((task) => [task.id, task]))
  const found = new Map<string, Standing>()
  const dead = hopeless(tasks, progress)
  for (const { id, after } of tasks) {
    const ended = progress.ended.get(id)
    const open = after.filter((each) => known.has(each) && progress.ended.get(each) !== 'completed')
    const lost = open.filter((each) => progress.ended.get(each) === 'failed' || dead.has(each))
    if (ended !== undefined) found.set(id, { standing: ended, waitsFor: [] })
    else if (progress.running.has(id)) found.set(id, { standing: 'running', waitsFor: [] })
    else if (lost.length > 0) found.set(id, { standing: 'blocked', waitsFor: lost })
    else found.set(id, { standing: open.length > 0 ? 'waiting' : 'ready', waitsFor: open })
  }
  return found
}

/** Tasks that cannot start any more, because something below them failed. */
function hopeless(tasks: readonly BacklogTask[], { ended, running }: Progress): ReadonlySet<string> {
  const above = new Map<string, string[]>()
  for (const { id, after } of tasks)
    if (!ended.has(id) && !running.has(id)) for (const each of after) above.set(each, [...(above.get(each) ?? []), id])
  const dead = new Set<string>()
  const queue = [...ended].flatMap(([id, how]) => (how === 'failed' ? [id] : []))
  for (let lost = queue.pop(); lost !== undefined; lost = queue.pop())
    for (const id of above.get(lost) ?? []) {
      if (dead.has(id)) continue
      dead.add(id)
      queue.push(id)
    }
  return dead
}

/** What may start now, at most `room` of them: the higher priority first, then as the list has it. */
export function nextToStart(backlog: Pick<Backlog, 'tasks'>, progress: Progress, room: number): readonly BacklogTask[] {
  const stands = standings(backlog, progress)
  return backlog.tasks
    .filter(({ id }) => stands.get(id)?.standing === 'ready')
    .toSorted((a, b) => b.priority - a.priority)
    .slice(0, Math.max(0, room))
}
