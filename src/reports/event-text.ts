import type { JournalEvent } from '../journal/events.ts'
import { headline, painter, plain, type Style } from './verdict-text.ts'

/** One event as one line. */
export function eventText(event: JournalEvent, style: Style): string {
  const paint = painter(style)
  const time = paint(new Date(event.at).toISOString().replace('T', ' ').slice(0, 19), 'dim')
  return `${time}  ${words(event, paint)}`
}

function words(event: JournalEvent, paint: ReturnType<typeof painter>): string {
  switch (event.type) {
    case 'run.started':
      return `run ${event.run} begins${event.config ? ` with ${event.config.preset}` : ''}${event.task ? `, task ${plain(event.task)}` : ''}`
    case 'iteration.started':
      return `iteration ${event.iteration} begins`
    case 'iteration.decided':
      return `iteration ${event.iteration}: ${headline(event.verdict, paint)} (${event.verdict.rule}) ${plain(event.verdict.reason)}`
    case 'breaker.changed':
      return `breaker ${event.from} -> ${event.to}: ${plain(event.reason)}`
    case 'breaker.reset':
      return `breaker reset by ${plain(event.by)}: ${plain(event.reason)}`
    case 'phase.changed':
      return `phase ${event.from ?? '?'} -> ${event.to}${event.forced ? ` forced by ${plain(event.by ?? '?')}: ${plain(event.reason ?? '')}` : ''}`
    case 'config.changed':
      return `configuration changed by flag or environment: ${event.paths.join(', ')}`
    case 'run.ended':
      return `run ended ${event.outcome}/${event.ending}: ${plain(event.reason)}`
    case 'note':
      return plain(event.text)
    default:
      return `${(event as { type: string }).type}`
  }
}
