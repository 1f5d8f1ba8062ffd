import type { LoopEvent, RunEnd } from '../../core/run.ts'
import type { EvidenceSet } from '../../core/types.ts'
import { headline, painter, type Style } from '../verdict-text.ts'
import { statusText } from './blocks/head.ts'
import { asciiOnly, clean } from './clean.ts'
import { clockText, durationText } from './duration.ts'
import { controlText, type View } from './view.ts'

export interface LineStyle extends Style {
  readonly unicode: boolean
  /** Minutes the clock of the person who reads is ahead of UTC. */
  readonly zone: number
}

type Paint = ReturnType<typeof painter>

/** One happening as lines for a pipe or a log, each with its time. What the agent prints is not repeated here. */
export function plainLine(event: LoopEvent, style: LineStyle): readonly string[] {
  if (event.type === 'output' || event.type === 'recorded') return []
  const paint = painter(style)
  const [first, ...more] = words(event, paint)
  if (first === undefined) return []
  const time = paint(clockText(event.at, style.zone), 'dim')
  const lines = [`${time} ${first}`, ...more.map((line) => `         ${line}`)]
  return style.unicode ? lines : lines.map(asciiOnly)
}

/** What still goes on, for somebody who reads a log and hears nothing. */
export function heartbeatLine(view: View, now: number, style: LineStyle): string {
  const which = view.iteration === 0 ? '' : `iteration ${view.iteration}: `
  const line = `${painter(style)(clockText(now, style.zone), 'dim')} ${which}${statusText(view, now)}`
  return style.unicode ? line : asciiOnly(line)
}

type Timed = Exclude<LoopEvent, { type: 'output' | 'recorded' }>

function words(event: Timed, paint: Paint): readonly string[] {
  switch (event.type) {
    case 'started':
      return [
        `run ${clean(event.run)} ${event.resumed ? `goes on after iteration ${event.iterations}` : 'begins'} with preset ${clean(event.preset)} in ${clean(event.workspace)}`,
        ...(event.sandbox === undefined ? [] : [`sandbox: ${clean(event.sandbox)}`]),
        ...event.weaker.map((each) => `${paint('weaker than default:', 'yellow')} ${clean(each)}`),
      ]
    case 'baseline':
      if (!event.done) return ['taking the baseline']
      return [`baseline taken: ${answers(event.evidence ?? {})}`, ...alreadyFailing(event.evidence ?? {})]
    case 'iteration':
      return [
        `iteration ${event.iteration}${event.attempt > 1 ? `, start ${event.attempt}` : ''}: agent working${named('phase', event.phase)}${named('task', event.task)}`,
      ]
    case 'agent-ended':
      return agentEnded(event, paint)
    case 'evidence':
      return [`iteration ${event.iteration}: gathering evidence`]
    case 'decided':
      return decided(event, paint)
    case 'waiting':
      return [
        event.until === undefined
          ? `waiting for a person: ${clean(event.why)}`
          : `waiting ${durationText(event.until - event.at)}: ${clean(event.why)}`,
      ]
    case 'waited':
      return ['going on']
    case 'interrupted':
      return [paint(clean(event.message), 'yellow')]
    case 'control':
      return [clean(controlText(event.control))]
    case 'checkpoint':
      return [`committed ${clean(event.commit.slice(0, 10))} to ${clean(event.branch)}`]
    case 'warning':
      return [`${paint('warning:', 'yellow')} ${clean(event.text)}`]
    case 'ended':
      return [endLine(event.end, paint)]
  }
}

const named = (what: string, text: string | undefined): string => (text === undefined ? '' : `, ${what} ${clean(text)}`)

const answers = (evidence: EvidenceSet): string =>
  Object.values(evidence)
    .map(({ check, answer }) => `${clean(check)} ${answer}`)
    .join(', ') || 'no check is configured or was found'

const MOST_FAILING = 10

/** Said before the first iteration: what failed before has to pass as well, unless a person accepts it. */
function alreadyFailing({ tests }: EvidenceSet): readonly string[] {
  const failing = tests?.named?.failing ?? []
  if (failing.length === 0) return []
  const listed = failing.slice(0, MOST_FAILING).map((name) => `"${clean(name)}"`)
  const more = failing.length > MOST_FAILING ? ` and ${failing.length - MOST_FAILING} more` : ''
  return [`tests that already fail and must pass, unless accepted: ${listed.join(', ')}${more}`]
}

function agentEnded(
  { iteration, result }: Extract<LoopEvent, { type: 'agent-ended' }>,
  paint: Paint,
): readonly string[] {
  const how = {
    exit: result.code === null ? `was ended by ${result.signal ?? 'a signal'}` : `exited with code ${result.code}`,
    deadline: 'was ended: it took too long',
    silence: 'was ended: it was silent too long',
    aborted: 'was ended',
    'not-started': 'did not start',
  }[result.ended]
  const problem = result.problem === undefined ? [] : [paint(clean(result.problem), 'yellow')]
  const errors = result.errors.slice(0, 3).map(({ kind, message }) => paint(`${kind}: ${clean(message)}`, 'yellow'))
  const left =
    result.leftBehind > 0 ? [paint(`${result.leftBehind} processes it left running were ended`, 'yellow')] : []
  return [
    `iteration ${iteration}: the agent ${clean(how)} after ${durationText(result.ms)}`,
    ...problem,
    ...errors,
    ...left,
  ]
}

function decided(
  { iteration, verdict, transitions, observation }: Extract<LoopEvent, { type: 'decided' }>,
  paint: Paint,
): readonly string[] {
  const { gate, missing } = verdict
  const done = verdict.action === 'stop' && verdict.ending === 'verified'
  const warnings = verdict.action === 'continue' ? verdict.warnings.filter((each) => each !== verdict.reason) : []
  return [
    `iteration ${iteration}: ${headline(verdict, paint)}, claim ${gate.claim}, proof ${gate.proof}: ${clean(verdict.reason)}`,
    ...(observation.failed === undefined ? [] : [paint(`failed: ${clean(observation.failed.reason)}`, 'yellow')]),
    ...(observation.interrupted ? [] : [`checks: ${answers(observation.evidence)}`]),
    ...(done ? [] : missing.map((each) => `missing: ${clean(each)}`)),
    ...warnings.map((each) => `${paint('warning:', 'yellow')} ${clean(each)}`),
    ...transitions.map(({ from, to, reason }) => paint(`breaker ${from} -> ${to}: ${clean(reason)}`, 'yellow')),
  ]
}

const endLine = (end: RunEnd, paint: Paint): string =>
  `${headline({ action: 'stop', outcome: end.outcome, ending: end.ending }, paint)} after ${end.iterations} iterations: ${clean(end.reason)}`

export interface JsonOptions {
  /** Also what the agent prints. */
  readonly output: boolean
  /** The number the program ends with, for the last line. */
  readonly exitCode: number
}

/** One happening as one JSON object on a line, without the line break; nothing where there is nothing to tell. */
export function jsonLine(event: LoopEvent, options: JsonOptions): string | undefined {
  if (event.type === 'output' && !options.output) return undefined
  return harmless(JSON.stringify(jsonDocument(event, options)))
}

/** One happening as programs are told it. */
export function jsonDocument(event: LoopEvent, { exitCode }: Pick<JsonOptions, 'exitCode'>): object {
  switch (event.type) {
    case 'decided': {
      // The state is the fold of the journal; what changes with a decision is enough here.
      const { state, ...rest } = event
      const { breaker, streaks, total } = state.counters
      return { ...rest, counters: { iterations: state.iterations, breaker, streaks, total } }
    }
    case 'recorded':
      // The journal holds them in full; here stands which of its lines are on the disk now.
      return { type: event.type, events: event.events.map(({ seq, at, type }) => ({ seq, at, type })) }
    case 'ended': {
      const { end, ...rest } = event
      return { ...rest, exitCode, ...end }
    }
    default:
      return event
  }
}

/** JSON leaves some characters as they are that a terminal obeys or that split a line; written as numbers they mean the same. */
export const harmless = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
