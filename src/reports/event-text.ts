import type { JournalEvent } from '../core/journal/events.ts'
import { endSentence } from '../core/policy/ending-text.ts'
import { BREAKER_TEXT } from './plain-words.ts'
import { paintedSentence, painter, plain, type Style } from './verdict-text.ts'

/** One event as one line. */
export function eventText(event: JournalEvent, style: Style): string {
  const paint = painter(style)
  return `${paint(timeText(event.at), 'dim')}  ${textOf(event, paint)}`
}

function textOf(event: JournalEvent, paint: ReturnType<typeof painter>): string {
  switch (event.type) {
    case 'run.started':
      return `run ${plain(event.run)} started${event.config ? ` with preset ${plain(event.config.preset)}` : ''}${named('task', event.task)}`
    case 'run.resumed':
      return `run resumed after iteration ${event.iteration}: ${plain(event.reason)}`
    case 'iteration.started':
      return `iteration ${event.iteration}${startText(event.attempt)} started${named('phase', event.phase)}${named('task', event.task)}`
    case 'agent.started':
      return `iteration ${event.iteration}${startText(event.attempt)}: the agent is process ${event.pid}`
    case 'step.done':
      return `${plain(event.name)} ${endText(event.result)}`
    case 'iteration.limited':
      return `iteration ${event.iteration}${startText(event.attempt)} stopped by the provider (${event.kind}): ${plain(event.message)}. Next try at ${timeText(event.until)}`
    case 'agent.switched':
      return event.to === 'first'
        ? `back to the first agent: ${plain(event.why)}`
        : `switched to the fallback agent${event.until === undefined ? '' : ` until ${timeText(event.until)}`}: ${plain(event.why)}`
    case 'iteration.decided':
      return `iteration ${event.iteration}: ${paintedSentence(event.verdict, paint)}`
    case 'control':
      return `${plain(event.kind)} requested by ${plain(event.by)}: ${plain(event.reason)}`
    case 'task.skipped':
      return `task ${plain(event.task)} skipped by ${plain(event.by)}: ${plain(event.reason)}`
    case 'task.config':
      return `configuration for ${event.task === '' ? 'no task' : `task ${plain(event.task)}`} applies from here`
    case 'accepted':
      return `accepted by ${plain(event.by)}: ${event.findings.map(({ id, detail }) => `${plain(id)} (${plain(detail)})`).join(', ')}: ${plain(event.reason)}`
    case 'guidance':
      return `guidance from ${plain(event.by)}: ${plain(event.text)}`
    case 'checkpoint':
      return `iteration ${event.iteration} committed as ${plain(event.commit.slice(0, 10))} to ${plain(event.branch)}`
    case 'breaker.changed':
      return `circuit breaker ${BREAKER_TEXT[event.to]}: ${plain(event.reason)}`
    case 'breaker.reset':
      return `circuit breaker ${event.to === 'half-open' ? 'set for one more try' : 'reset'} by ${plain(event.by)}: ${plain(event.reason)}`
    case 'phase.changed':
      return `phase ${plain(event.from ?? '?')} -> ${plain(event.to)}${event.forced ? ` forced by ${plain(event.by ?? '?')}: ${plain(event.reason ?? '')}` : ''}`
    case 'config.changed':
      return `configuration changed by flags or environment: ${event.paths.map(plain).join(', ')}`
    case 'run.ended':
      return `run ended: ${plain(endSentence(event))}`
    case 'labelled':
      return `run ${plain(event.run)} labelled ${event.label} by ${plain(event.by)}: ${plain(event.reason)}`
    case 'note':
      return `note: ${plain(event.text)}`
    default:
      // A later release may have written it.
      return plain((event as { readonly type: string }).type)
  }
}

/** Dates after this can't be written. */
const LATEST = 8.64e15

const timeText = (at: number): string =>
  Math.abs(at) <= LATEST ? new Date(at).toISOString().replace('T', ' ').slice(0, 19) : 'an unknown time'

const startText = (attempt: number | undefined): string => ((attempt ?? 1) > 1 ? ` (start ${attempt})` : '')

const named = (what: string, text: string | undefined): string => (text === undefined ? '' : `, ${what} ${plain(text)}`)

/** How the agent's step ended. The result is stored as it was, so its shape is not certain. */
function endText(result: unknown): string {
  if (typeof result !== 'object' || result === null || !('ended' in result)) return 'done'
  const { ended } = result
  const problem = 'problem' in result && typeof result.problem === 'string' ? `: ${plain(result.problem)}` : ''
  if (ended !== 'exit') return `stopped (${plain(String(ended))})${problem}`
  const code = 'code' in result && typeof result.code === 'number' ? `with exit code ${result.code}` : 'by a signal'
  return `ended ${code}${problem}`
}
