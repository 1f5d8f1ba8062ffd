import { count, listOf } from '../../../packages/core/src/count.ts'
import type { BacklogEvent } from '../../backlog/events.ts'
import type { MergeEnd, TaskResult } from '../../backlog/types.ts'
import { isPrinted } from '../../core/loop-event.ts'
import { endSentence } from '../../core/policy/ending-text.ts'
import type { Spent } from '../../core/types.ts'
import { painter } from '../verdict-text.ts'
import { endText, endTone } from './backlog-view.ts'
import { asciiOnly, clean } from './clean.ts'
import { amountText, clockText, durationText } from './duration.ts'
import { harmless, type JsonOptions, jsonDocument, type LineStyle, plainLine } from './event-lines.ts'
import { type Line, type Look, marksOf, padLine, paintLine, span, wrapText } from './line.ts'

interface SummaryStyle extends Look {
  readonly columns: number
  readonly exitCode: number
  /** Whether completed branches were to be merged. */
  readonly merge: boolean
  /** The branch they would go to. */
  readonly branch?: string
  readonly left?: readonly string[]
}

/** A failed command explains itself in its last lines. */
const MOST_LINES = 12

/** The end of a task list: what completed, what did not and why, the cost, and where the work is. */
export function backlogSummary(results: readonly TaskResult[], total: Spent, style: SummaryStyle): string {
  const columns = Math.max(40, Math.min(100, Math.floor(style.columns) || 80))
  const done = results.filter(({ end }) => end?.outcome === 'completed')
  const name = Math.min(24, Math.max(4, ...results.map(({ task }) => task.length)))
  const lines: readonly Line[] = [
    headLine(`${done.length} of ${results.length} tasks completed`, columns, style),
    ...results.flatMap((result) => resultLines(result, name, columns, style)),
    [],
    [span(spentText(total), 'dim')],
    ...nextLines(results, style).map((text) => [span(text)]),
  ]
  return `${lines.map((line) => paintLine(line, style)).join('\n')}\n`
}

function headLine(title: string, columns: number, style: SummaryStyle): Line {
  const { rule } = marksOf(style)
  const code = ` exit code ${style.exitCode} `
  const room = Math.max(2, columns - title.length - code.length - 6)
  return [
    span(`${rule.repeat(2)} `, 'dim'),
    span(title, style.exitCode === 0 ? 'green' : 'yellow'),
    span(` ${rule.repeat(room)}${code}${rule.repeat(2)}`, 'dim'),
  ]
}

function resultLines(result: TaskResult, name: number, columns: number, style: SummaryStyle): readonly Line[] {
  const { end, standing, waitsFor } = result
  const first = padLine([span(clean(result.task), 'bold')], name, style)
  if (end === undefined) {
    const why =
      waitsFor.length === 0 ? '' : `, ${standing === 'blocked' ? 'blocked by' : 'waits for'} ${waitsFor.join(', ')}`
    return [[...first, span('  '), span(`not started${why}`, 'yellow')]]
  }
  const spent = [
    `${end.iterations} ${end.iterations === 1 ? 'iteration' : 'iterations'}`,
    durationText(end.total.ms),
    ...(end.total.usd > 0 ? [`$${end.total.usd.toFixed(2)}`] : []),
  ].join(', ')
  const tests = end.missing.filter((text) => text.startsWith('tests:'))
  const more = end.outcome === 'completed' ? mergeText(result) : [end.reason, ...tests].join('\n')
  const about = more === undefined ? [] : more.split('\n').flatMap((line) => wrapText(clean(line), columns - name - 4))
  const where = end.worktree === undefined ? [] : [`the work is in ${end.worktree}`]
  return [
    [...first, span('  '), span(endText(end), endTone(end)), span(`  ${spent}`, 'dim')],
    ...[...about.slice(-MOST_LINES), ...where].map((text): Line => [span(`${' '.repeat(name + 4)}${clean(text)}`)]),
  ]
}

/** What became of the merge. */
function mergeText({ end }: TaskResult): string | undefined {
  const { kind, detail, empty } = end?.merge ?? { empty: true }
  if (empty) return undefined
  return kind === 'merged' ? `merged ${detail}` : `${detail}; the branch ${end?.branch} is unchanged`
}

const spentText = (total: Spent): string =>
  [
    `Total: ${durationText(total.ms)} of work`,
    ...(total.usd > 0 ? [`$${total.usd.toFixed(2)}`] : []),
    ...(total.tokens > 0 ? [`${amountText(total.tokens)} tokens`] : []),
  ].join(', ')

function nextLines(results: readonly TaskResult[], { merge, branch, left = [] }: SummaryStyle): readonly string[] {
  const done = results.filter(({ end }) => end?.outcome === 'completed')
  const waiting = done.filter(({ end }) => end?.merge?.kind !== 'merged' && !end?.merge?.empty)
  const known = results.some(({ end }) => end?.missing.some((text) => text.includes('already failed before the run')))
  return [
    ...(left.length === 0 ? [] : [`Still failing, as before the tasks: ${listOf(left)}.`]),
    ...(known || left.length > 0 ? ['If a test that failed at the start may fail, pass --accept-failing.'] : []),
    ...(waiting.length === 0
      ? []
      : [
          `To merge the completed work${branch === undefined ? '' : ` into ${branch}`}:`,
          ...waiting.map(({ end }) => `  git merge ${end?.branch ?? ''}`),
        ]),
    ...(done.length < results.length
      ? [`To continue the rest, repeat the command with --resume${merge ? ' --merge' : ''}.`]
      : []),
  ]
}

/** One event as lines for a pipe or a log, with time and task. */
export function backlogLines(event: BacklogEvent, style: LineStyle): readonly string[] {
  if (event.type === 'task') {
    // Both have lines of their own for the whole list.
    if (event.event.type === 'interrupted' || event.event.type === 'ended') return []
    const paint = painter(style)
    return plainLine(event.event, style).map((line) =>
      line.startsWith(' ') ? `${' '.repeat(9)}${line.trimStart()}` : named(line, event.task, paint),
    )
  }
  const words = textOf(event, style)
  if (words === undefined || event.type === 'ended') return []
  const paint = painter(style)
  const lines = [`${paint(clockText(event.at, style.zone), 'dim')} ${words}`]
  return style.unicode ? lines : lines.map(asciiOnly)
}

/** The time first, then the task. */
function named(line: string, task: string, paint: ReturnType<typeof painter>): string {
  const at = line.indexOf(' ')
  return `${line.slice(0, at)} ${paint(`[${clean(task)}]`, 'cyan')}${line.slice(at)}`
}

function textOf(event: Exclude<BacklogEvent, { type: 'task' }>, style: LineStyle): string | undefined {
  const paint = painter(style)
  switch (event.type) {
    case 'began':
      return `${event.resumed ? 'Resuming' : 'Running'} ${count(event.tasks.length, 'task')}, up to ${event.parallel} at a time`
    case 'doing':
      return `${paint(`[${clean(event.task)}]`, 'cyan')} ${clean(event.what)}`
    case 'task-ended':
      return `${paint(`[${clean(event.task)}]`, 'cyan')} ${paint(clean(endSentence(event.end)), endTone(event.end))}`
    case 'merged':
      return `${paint(`[${clean(event.task)}]`, 'cyan')} ${mergedText(event.merge)}`
    case 'warning':
      return `${paint('warning:', 'yellow')} ${clean(event.text)}`
    case 'interrupted':
      return paint(clean(event.message), 'yellow')
    case 'ended':
      return undefined
  }
}

function mergedText({ kind, empty, detail }: MergeEnd): string {
  if (empty) return clean(detail)
  return `${kind === 'merged' ? 'merged' : 'not merged:'} ${clean(detail)}`
}

/** One event as one line of JSON. `task` is null for events about the whole list. */
export function backlogJson(event: BacklogEvent, options: JsonOptions): string | undefined {
  if (event.type !== 'task') {
    const code = event.type === 'ended' ? { exitCode: options.exitCode } : {}
    return harmless(JSON.stringify({ ...event, task: 'task' in event ? event.task : null, ...code }))
  }
  if (isPrinted(event.event) && !options.output) return undefined
  const own = jsonDocument(event.event, options)
  // Only the last line has an exit code, not the end of each run.
  const { task: item, exitCode: _number, ...document } = { task: undefined, exitCode: undefined, ...own }
  // What the run calls its task is an item of its plan.
  return harmless(JSON.stringify({ ...document, ...(item === undefined ? {} : { item }), task: event.task }))
}
