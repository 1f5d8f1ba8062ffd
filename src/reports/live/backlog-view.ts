import type { BacklogEvent } from '../../backlog/events.ts'
import type { TaskEnd, TaskResult } from '../../backlog/types.ts'
import { endingText } from '../../core/policy/ending-text.ts'
import type { Answer, Spent } from '../../core/types.ts'
import { statusText } from './blocks/head.ts'
import { clean } from './clean.ts'
import { durationText } from './duration.ts'
import { type FrameOptions, paintFrame } from './layout.ts'
import { answerMark, type Line, type Look, marksOf, padLine, span, spreadLine, type Tone } from './line.ts'
import { emptyView, follow, type View } from './view.ts'

const NAME = 18

/** The tasks of a backlog as lines for a terminal of that size: none wider than it, and no more of them than it has rows. */
export function backlogFrame(view: BacklogView, options: FrameOptions): readonly string[] {
  const notes = view.notes.map((text): Line => [span(clean(text), 'yellow')])
  const foot = view.stopping === undefined ? [] : [[span(clean(view.stopping), 'yellow')]]
  return paintFrame(options, (columns, rows) => {
    const head = [headLine(view, columns, options), [span(marksOf(options).rule.repeat(columns), 'dim')]]
    const room = Math.max(1, rows - head.length - notes.length - foot.length - 1)
    return [...head, ...taskLines(view.tasks, room, columns, options), ...notes, ...foot]
  })
}

function headLine({ tasks, parallel, startedAt }: BacklogView, columns: number, options: FrameOptions): Line {
  const done = tasks.filter(({ end }) => end?.outcome === 'completed').length
  const usd = tasks.reduce((sum, { view }) => sum + view.state.counters.total.usd, 0)
  const told = [
    `${done} of ${tasks.length} completed`,
    `${parallel} at once`,
    durationText(options.now - startedAt),
    ...(usd > 0 ? [`$${usd.toFixed(2)}`] : []),
  ].join(` ${marksOf(options).dot} `)
  return spreadLine([span('exitgate run', 'bold')], [span(told, 'dim')], columns, options)
}

/** Active tasks first, then failed, waiting and completed ones. */
function taskLines(tasks: readonly TaskView[], room: number, columns: number, options: FrameOptions): readonly Line[] {
  const ranked = tasks.toSorted((a, b) => rank(a) - rank(b))
  const shown = ranked.slice(0, ranked.length > room ? room - 1 : room)
  const left = ranked.length - shown.length
  return [
    ...shown.map((task) => taskLine(task, columns, options)),
    ...(left > 0 ? [[span(`and ${left} more`, 'dim')]] : []),
  ]
}

function rank({ end, doing, view }: TaskView): number {
  if (end === undefined) return doing !== undefined || view.started !== undefined ? 0 : 2
  return end.outcome === 'completed' ? 3 : 1
}

function taskLine(task: TaskView, columns: number, options: FrameOptions): Line {
  const { view, end } = task
  const number = view.iteration === 0 ? '' : `#${view.iteration}`
  const [words, tone] = stateOf(task, options.now)
  const gate = view.decided?.verdict.gate
  const keys = gate === undefined ? [] : [key('claim', gate.claim, options), key('proof', gate.proof, options)].flat()
  const left: Line = [
    ...padLine([span(clean(task.id), 'bold')], NAME, options),
    span(` ${number.padStart(4)} `),
    span(words, tone),
    ...(end !== undefined || words !== 'waiting' ? [] : [span(` ${clean(task.title)}`, 'dim')]),
  ]
  return keys.length === 0 ? left : spreadLine(left, keys, columns, options)
}

function key(name: 'claim' | 'proof', answer: Answer, look: Look): Line {
  return [span(' '), answerMark(name, answer, look), span(` ${name}`, 'dim')]
}

function stateOf({ doing, end, view }: TaskView, now: number): readonly [string, Tone | undefined] {
  if (doing !== undefined) return [clean(`${doing.what}, ${durationText(now - doing.since)}`), 'cyan']
  if (end !== undefined) return [endText(end), endTone(end)]
  return view.started === undefined && view.doing.kind === 'starting'
    ? ['waiting', 'dim']
    : [statusText(view, now), 'cyan']
}

/** `verified, merged`; a forced end is always shown as forced. */
export function endText({ ending, merge }: TaskEnd): string {
  const text = endingText(ending)
  if (merge === undefined) return text
  if (merge.empty) return `${text}; ${merge.detail}`
  return `${text}, ${merge.kind === 'merged' ? 'merged' : 'not merged'}`
}

export function endTone({ outcome, ending, merge }: TaskEnd): Tone {
  if (merge !== undefined && merge.kind !== 'merged' && !merge.empty) return 'red'
  if (outcome === 'completed') return ending === 'verified' ? 'green' : 'yellow'
  return outcome === 'interrupted' ? 'yellow' : 'red'
}

/** One task as it is shown. */
export interface TaskView {
  readonly id: string
  readonly title: string
  readonly view: View
  /** Work outside of its run, and since when. */
  readonly doing?: { readonly what: string; readonly since: number }
  readonly end?: TaskEnd
}

/** Everything a frame shows: the fold of a task list's events. */
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

/** The view after one more event. */
export function followBacklog(view: BacklogView, event: BacklogEvent): BacklogView {
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
        view: follow(task.view, event.event),
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
