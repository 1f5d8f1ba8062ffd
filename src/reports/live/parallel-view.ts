import type { BacklogEvent } from '../../backlog/events.ts'
import type { TaskEnd, TaskResult } from '../../backlog/types.ts'
import type { Spent } from '../../core/types.ts'
import { emptyView, follow, type View } from './view.ts'

/** One task as it is shown. */
export interface TaskView {
  readonly id: string
  readonly title: string
  readonly view: View
  /** What is done outside of its run, and since when. */
  readonly doing?: { readonly what: string; readonly since: number }
  readonly end?: TaskEnd
}

/** The fold of what a backlog told: all that a frame shows. */
export interface BacklogView {
  readonly parallel: number
  readonly startedAt: number
  readonly tasks: readonly TaskView[]
  readonly stopping?: string
  readonly notes: readonly string[]
  readonly ended?: { readonly results: readonly TaskResult[]; readonly total: Spent }
}

const MOST_NOTES = 3

export const emptyBacklog = (): BacklogView => ({ parallel: 1, startedAt: 0, tasks: [], notes: [] })

/** The view after one more event. `heard` is the time at which the edge got it. */
export function followBacklog(view: BacklogView, event: BacklogEvent, heard: number): BacklogView {
  switch (event.type) {
    case 'began':
      return {
        ...view,
        parallel: event.parallel,
        startedAt: event.at,
        tasks: event.tasks.map((task) => ({ ...task, view: emptyView() })),
      }
    case 'doing':
      return changed(view, event.task, (task) => ({ ...task, doing: { what: event.what, since: event.at } }))
    case 'task':
      return changed(view, event.task, ({ doing: _over, ...task }) => ({
        ...task,
        view: follow(task.view, event.event, heard),
      }))
    case 'task-ended':
      return changed(view, event.task, ({ doing: _over, ...task }) => ({ ...task, end: event.end }))
    case 'merged':
      return changed(view, event.task, ({ doing: _over, ...task }) =>
        task.end === undefined ? task : { ...task, end: { ...task.end, merge: event.merge } },
      )
    case 'warning':
      return { ...view, notes: [...view.notes, event.text].slice(-MOST_NOTES) }
    case 'interrupted':
      return { ...view, stopping: event.message }
    case 'ended':
      return { ...view, ended: { results: event.results, total: event.total } }
  }
}

function changed(view: BacklogView, id: string, change: (task: TaskView) => TaskView): BacklogView {
  return { ...view, tasks: view.tasks.map((task) => (task.id === id ? change(task) : task)) }
}
