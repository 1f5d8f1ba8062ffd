import type { BacklogEvent } from '../../backlog/events.ts'
import { painter } from '../verdict-text.ts'
import { asciiOnly, clean } from './clean.ts'
import { clockText } from './duration.ts'
import { harmless, type JsonOptions, jsonDocument } from './json-lines.ts'
import { endTone, endWords } from './parallel-frame.ts'
import { type LineStyle, plainLine } from './plain-lines.ts'

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
      return `${event.tasks.length} tasks ${event.resumed ? 'go on' : 'begin'}, ${event.parallel} at once`
    case 'doing':
      return `${paint(`[${clean(event.task)}]`, 'cyan')} ${clean(event.what)}`
    case 'task-ended':
      return `${paint(`[${clean(event.task)}]`, 'cyan')} ${paint(endWords(event.end), endTone(event.end))}: ${clean(event.end.reason)}`
    case 'merged':
      return `${paint(`[${clean(event.task)}]`, 'cyan')} merge: ${event.merge.kind}, ${clean(event.merge.detail)}`
    case 'warning':
      return `${paint('warning:', 'yellow')} ${clean(event.text)}`
    case 'interrupted':
      return paint(clean(event.message), 'yellow')
    case 'ended':
      return undefined
  }
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
