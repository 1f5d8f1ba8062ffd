import type { JournalEvent } from '../../core/journal/events.ts'
import { BREAKER_TEXT } from '../plain-words.ts'
import type { SafeText } from './safe-text.ts'
import type { Intervention } from './types.ts'

type Description = Omit<Intervention, 'at' | 'iteration'>

/** An event that is not part of a decision, or undefined. */
export function interventionOf(event: JournalEvent, iteration: number, safe: SafeText): Intervention | undefined {
  const described = describe(event)
  if (described === undefined) return undefined
  const { kind, by, what, reason } = described
  return {
    at: event.at,
    iteration,
    kind,
    ...(by === undefined ? {} : { by: safe.line(by, 200) }),
    what: safe.line(what, 500),
    reason: safe.line(reason),
  }
}

function describe(event: JournalEvent): Description | undefined {
  switch (event.type) {
    case 'control':
      return { kind: 'override', by: event.by, what: `requested ${event.kind}`, reason: event.reason }
    case 'accepted': {
      const what = `accepted ${event.findings.map(({ id, detail }) => `${id} (${detail})`).join(', ')}`
      return { kind: 'override', by: event.by, what, reason: event.reason }
    }
    case 'guidance':
      return { kind: 'override', by: event.by, what: 'gave guidance to the agent', reason: event.text }
    case 'task.skipped':
      return { kind: 'override', by: event.by, what: `skipped the task ${event.task}`, reason: event.reason }
    case 'breaker.reset': {
      const what = event.to === 'half-open' ? 'allowed the circuit breaker one more try' : 'reset the circuit breaker'
      return { kind: 'override', by: event.by, what, reason: event.reason }
    }
    case 'config.changed':
      return { kind: 'override', what: 'configuration changed by flags or environment', reason: event.paths.join(', ') }
    case 'breaker.changed':
      return { kind: 'breaker', what: `circuit breaker ${BREAKER_TEXT[event.to]}`, reason: event.reason }
    case 'phase.changed':
      return {
        kind: event.forced ? 'override' : 'phase',
        ...(event.by === undefined ? {} : { by: event.by }),
        what: `phase ${event.from ?? 'none'} to ${event.to}${event.forced ? ', forced' : ''}`,
        reason: event.reason ?? '',
      }
    case 'iteration.limited':
      return {
        kind: 'limit',
        what: `the provider stopped start ${event.attempt} (${event.kind})`,
        reason: event.message,
      }
    case 'run.resumed':
      return { kind: 'run', what: 'run resumed', reason: event.reason }
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
