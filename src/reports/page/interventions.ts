import type { JournalEvent } from '../../core/journal/events.ts'
import type { Words } from './safe-text.ts'
import type { Intervention } from './types.ts'

type Told = Omit<Intervention, 'at' | 'iteration'>

/** What an event tells that no decision does, or nothing. */
export function interventionOf(event: JournalEvent, iteration: number, words: Words): Intervention | undefined {
  const told = tell(event)
  if (told === undefined) return undefined
  const { kind, by, what, reason } = told
  return {
    at: event.at,
    iteration,
    kind,
    ...(by === undefined ? {} : { by: words.line(by, 200) }),
    what: words.line(what, 500),
    reason: words.line(reason),
  }
}

function tell(event: JournalEvent): Told | undefined {
  switch (event.type) {
    case 'control':
      return { kind: 'override', by: event.by, what: `asked for ${event.kind}`, reason: event.reason }
    case 'guidance':
      return { kind: 'override', by: event.by, what: 'gave guidance to the agent', reason: event.text }
    case 'task.skipped':
      return { kind: 'override', by: event.by, what: `skipped the task ${event.task}`, reason: event.reason }
    case 'breaker.reset': {
      const what = event.to === 'half-open' ? 'gave the breaker one more try' : 'reset the breaker'
      return { kind: 'override', by: event.by, what, reason: event.reason }
    }
    case 'config.changed':
      return { kind: 'override', what: 'configuration changed by flag or environment', reason: event.paths.join(', ') }
    case 'breaker.changed':
      return { kind: 'breaker', what: `breaker ${event.from} to ${event.to}`, reason: event.reason }
    case 'phase.changed':
      return {
        kind: event.forced ? 'override' : 'phase',
        ...(event.by === undefined ? {} : { by: event.by }),
        what: `phase ${event.from ?? 'none'} to ${event.to}${event.forced ? ', forced' : ''}`,
        reason: event.reason ?? '',
      }
    case 'iteration.limited':
      return { kind: 'limit', what: `the provider ended start ${event.attempt} (${event.kind})`, reason: event.message }
    case 'run.resumed':
      return { kind: 'run', what: 'the run was taken up again', reason: event.reason }
    case 'task.config':
      return { kind: 'run', what: `configuration for the task ${event.task === '' ? 'none' : event.task}`, reason: '' }
    case 'checkpoint':
      return { kind: 'run', what: `committed to ${event.branch}`, reason: event.commit.slice(0, 12) }
    case 'note':
      return { kind: 'note', what: 'note', reason: event.text }
    case 'iteration.decided': {
      const { forced } = event.observation
      if (forced === undefined) return undefined
      return { kind: 'override', by: forced.by, what: `forced the ${forced.scope}`, reason: forced.reason }
    }
    default:
      return undefined
  }
}
