import type { FleetEvent } from '../../fleet/types.ts'
import { asciiOnly, clean } from '../../reports/live/clean.ts'
import { clockText } from '../../reports/live/duration.ts'
import { harmless, jsonDocument } from '../../reports/live/json-lines.ts'
import { type LineStyle, plainLine } from '../../reports/live/plain-lines.ts'
import { painter } from '../../reports/verdict-text.ts'

/** What a worker does, as lines for a pipe or a log, each with its time and the run it is about. */
export function eventLines(event: FleetEvent, style: LineStyle): readonly string[] {
  const paint = painter(style)
  if (event.type === 'loop') {
    // A worker's list of runs has its own words for where they begin and end.
    if (event.event.type === 'started' || event.event.type === 'ended') return []
    return plainLine(event.event, style).map((line) => {
      const at = line.indexOf(' ')
      return at === 0 ? line : `${line.slice(0, at)} ${paint(`[${clean(event.run)}]`, 'cyan')}${line.slice(at)}`
    })
  }
  const line = `${paint(clockText(event.at, style.zone), 'dim')} ${wordsOf(event, paint)}`
  return [style.unicode ? line : asciiOnly(line)]
}

type Own = Exclude<FleetEvent, { readonly type: 'loop' }>

function wordsOf(event: Own, paint: ReturnType<typeof painter>): string {
  const run = 'run' in event ? `${paint(`[${clean(event.run)}]`, 'cyan')} ` : ''
  switch (event.type) {
    case 'worker':
      return `worker ${clean(event.worker)} takes tasks of the queue ${clean(event.queue)}`
    case 'claimed':
      return `${run}${event.from === undefined ? 'begins here' : `taken over from ${clean(event.from)}`}`
    case 'lost':
      return `${run}${paint('lost:', 'yellow')} ${clean(event.why)}`
    case 'given-back':
      return `${run}given back; another worker goes on with it`
    case 'ended': {
      const { outcome, ending, reason, branch } = event.end
      const tone = outcome === 'completed' ? 'green' : 'red'
      const where = branch === undefined ? '' : `; its work is on the branch ${clean(branch)}`
      return `${run}${paint(`${outcome}/${ending}`, tone)}: ${clean(reason)}${where}`
    }
    case 'draining':
      return `takes nothing new; ${event.runs} runs finish their iterations and are given back`
    case 'warning':
      return `${paint('warning:', 'yellow')} ${clean(event.text)}`
  }
}

/** The same as one JSON object a line. */
export function eventJson(event: FleetEvent): readonly string[] {
  if (event.type !== 'loop') return [harmless(JSON.stringify(event))]
  if (event.event.type === 'output') return []
  return [harmless(JSON.stringify({ type: 'loop', run: event.run, event: jsonDocument(event.event, { exitCode: 0 }) }))]
}
