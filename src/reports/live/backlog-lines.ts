import type { BacklogEvent } from '../../backlog/events.ts'
import type { MergeEnd, TaskResult } from '../../backlog/types.ts'
import { count } from '../../core/count.ts'
import { endSentence } from '../../core/policy/ending-text.ts'
import type { Spent } from '../../core/types.ts'
import { painter } from '../verdict-text.ts'
import { endTone, endWords } from './backlog-view.ts'
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
}

/** A command that failed says why at its end. */
const MOST_LINES = 12

/** Who completed, who did not and why, what it cost, and where the work is: the last words of a backlog. */
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
  const tone = style.exitCode === 0 ? 'green' : 'yellow'
  return [
    span(`${rule.repeat(2)} `, 'dim'),
    span(title, tone),
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
  const more = end.outcome === 'completed' ? mergeWords(result) : end.reason
  const about = more === undefined ? [] : more.split('\n').flatMap((line) => wrapText(clean(line), columns - name - 4))
  const where = end.worktree === undefined ? [] : [`the work is in ${end.worktree}`]
  return [
    [...first, span('  '), span(endWords(end), endTone(end)), span(`  ${spent}`, 'dim')],
    ...[...about.slice(-MOST_LINES), ...where].map((text): Line => [span(`${' '.repeat(name + 4)}${clean(text)}`)]),
  ]
}

/** Which of the work is not where it should be. */
function mergeWords({ end }: TaskResult): string | undefined {
  if (end?.merge === undefined || end.merge.empty) return undefined
  return end.merge.kind === 'merged'
    ? `merged ${end.merge.detail}`
    : `${end.merge.detail}; the branch ${end.branch} is unchanged`
}

const spentText = (total: Spent): string =>
  [
    `Total: ${durationText(total.ms)} of work`,
    ...(total.usd > 0 ? [`$${total.usd.toFixed(2)}`] : []),
    ...(total.tokens > 0 ? [`${amountText(total.tokens)} tokens`] : []),
  ].join(', ')

function nextLines(results: readonly TaskResult[], { merge, branch }: SummaryStyle): readonly string[] {
  const waiting = results.filter(
    ({ end }) => end?.outcome === 'completed' && end.merge?.kind !== 'merged' && !end.merge?.empty,
  )
  const open = results.some(({ end }) => end?.outcome !== 'completed')
  return [
    ...(waiting.length === 0
      ? []
      : [
          `To merge the completed work${branch === undefined ? '' : ` into ${branch}`}:`,
          ...waiting.map(({ end }) => `  git merge ${end?.branch ?? ''}`),
        ]),
    ...(open ? [`To continue the rest, repeat the command with --resume${merge ? ' --merge' : ''}.`] : []),
  ]
}

/** One happening as lines for a pipe or a log, each with its time and the task it belongs to. */
export function backlogLines(event: BacklogEvent, style: LineStyle): readonly string[] {
  if (event.type === 'task') {
    // Said once for all of them; and how a run ended is said with what became of its work.
    if (event.event.type === 'interrupted' || event.event.type === 'ended') return []
    const paint = painter(style)
    return plainLine(event.event, style).map((line) =>
      line.startsWith(' ') ? `${' '.repeat(9)}${line.trimStart()}` : named(line, event.task, paint),
    )
  }
  const words = wordsOf(event, style)
  if (words === undefined || event.type === 'ended') return []
  const paint = painter(style)
  const lines = [`${paint(clockText(event.at, style.zone), 'dim')} ${words}`]
  return style.unicode ? lines : lines.map(asciiOnly)
}

/** The time stands first, then the task. */
function named(line: string, task: string, paint: ReturnType<typeof painter>): string {
  const at = line.indexOf(' ')
  return `${line.slice(0, at)} ${paint(`[${clean(task)}]`, 'cyan')}${line.slice(at)}`
}

function wordsOf(event: Exclude<BacklogEvent, { type: 'task' }>, style: LineStyle): string | undefined {
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

/** One happening as one JSON object on a line: every one names its task, null where it is about all of them. */
export function backlogJson(event: BacklogEvent, options: JsonOptions): string | undefined {
  if (event.type !== 'task') {
    const code = event.type === 'ended' ? { exitCode: options.exitCode } : {}
    return harmless(JSON.stringify({ ...event, task: 'task' in event ? event.task : null, ...code }))
  }
  if (event.event.type === 'output' && !options.output) return undefined
  const own = jsonDocument(event.event, options)
  // The program ends once, with the last line; the end of one run has no number.
  const { task: item, exitCode: _number, ...document } = { task: undefined, exitCode: undefined, ...own }
  // What the run itself calls its task is an item of its plan.
  return harmless(JSON.stringify({ ...document, ...(item === undefined ? {} : { item }), task: event.task }))
}
