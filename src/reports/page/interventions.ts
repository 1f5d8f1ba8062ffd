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
  const safeBy = by === undefined ? undefined : safe.line(by, 200)
  return { at: event.at, iteration, ...told(kind, safe.line(what, 500), safe.line(reason), safeBy) }
}

const told = (kind: Description['kind'], what: string, reason: string, by?: string): Description => ({
  kind,
  what,
  reason,
  ...(by === undefined ? {} : { by }),
})

function describe(event: JournalEvent): Description | undefined {
  switch (event.type) {
    case 'control':
      return told('override', `requested ${event.kind}`, event.reason, event.by)
    case 'accepted': {
      const which = event.findings.map(({ id, detail }) => `${id} (${detail})`)
      return told('override', `accepted ${which.join(', ')}`, event.reason, event.by)
    }
    case 'guidance':
      return told('override', 'gave guidance to the agent', event.text, event.by)
    case 'task.skipped':
      return told('override', `skipped the task ${event.task}`, event.reason, event.by)
    case 'breaker.reset': {
      const what = event.to === 'half-open' ? 'allowed the circuit breaker one more try' : 'reset the circuit breaker'
      return told('override', what, event.reason, event.by)
    }
    case 'config.changed':
      return told('override', 'configuration changed by flags or environment', event.paths.join(', '))
    case 'breaker.changed':
      return told('breaker', `circuit breaker ${BREAKER_TEXT[event.to]}`, event.reason)
    case 'phase.changed': {
      const what = `phase ${event.from ?? 'none'} to ${event.to}${event.forced ? ', forced' : ''}`
      return told(event.forced ? 'override' : 'phase', what, event.reason ?? '', event.by)
    }
    case 'iteration.limited':
      return told('limit', `the provider stopped start ${event.attempt} (${event.kind})`, event.message)
    case 'run.resumed':
      return told('run', 'run resumed', event.reason)
    case 'task.config':
      return told('run', `configuration for the task ${event.task === '' ? 'none' : event.task}`, '')
    case 'checkpoint':
      return told('run', `committed to ${event.branch}`, event.commit.slice(0, 12))
    case 'note':
      return told('note', 'note', event.text)
    case 'iteration.decided': {
      const { forced } = event.observation
      return forced && told('override', `forced the ${forced.scope}`, forced.reason, forced.by)
    }
    default:
      return undefined
  }
}
