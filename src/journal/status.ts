import type { JournalEvent, State } from '../core/journal/events.ts'

const LINES = 10

/** The state in short, for programs. */
export function statusJson(state: State): string {
  const { run, task, iterations, counters, running, last, ended, phasesDone, totals, seq } = state
  const { phase, phaseIteration, breaker, total } = counters
  const verdict = last?.verdict
  const short = {
    run,
    preset: state.config?.preset,
    task,
    startedAt: iso(state.startedAt),
    iterations,
    running: running && { iteration: running.iteration, since: iso(running.at) },
    phase,
    phaseIteration: phase === undefined ? undefined : phaseIteration,
    phasesDone: phasesDone.map((done) => done.phase),
    breaker: { state: breaker.state, noProgress: breaker.noProgress, reason: breaker.reason },
    spent: total,
    last: verdict && { at: iso(last.at), ...verdict },
    ended: ended && { ...ended, at: iso(ended.at) },
    totals,
    events: seq,
  }
  return `${JSON.stringify(short, null, 2)}\n`
}

/** The same in plain words. */
export function statusMarkdown(state: State, events: readonly JournalEvent[]): string {
  const lines = [
    '# exitgate status',
    '',
    'Written by exitgate for people to read. Changing this file changes nothing.',
    '',
    ...headline(state),
    ...missing(state),
    ...section('Decisions', state.recent.slice(-LINES).map(decision)),
    ...section('Also happened', events.slice(-LINES).flatMap(incident)),
  ]
  return `${lines.join('\n')}\n`
}

function headline({ ended, running, iterations, counters, config, task, last }: State): readonly string[] {
  const { phase, breaker } = counters
  const decided = iterations === 1 ? '1 iteration decided' : `${iterations} iterations decided`
  const now = running === undefined ? decided : `${decided}, iteration ${running.iteration} is running`
  const rows = [
    ended === undefined ? `- Now: ${now}` : `- Ended: ${ended.outcome} (${ended.ending}): ${words(ended.reason)}`,
    ended === undefined ? undefined : `- Iterations: ${iterations}`,
    task === undefined ? undefined : `- Task: ${words(task)}`,
    config === undefined ? undefined : `- Preset: ${config.preset}`,
    phase === undefined ? undefined : `- Phase: ${words(phase)}, iteration ${counters.phaseIteration}`,
    `- Breaker: ${breaker.state}${breaker.reason === undefined ? '' : ` (${words(breaker.reason)})`}`,
    last === undefined ? undefined : `- Last decision: ${iso(last.at)}`,
  ]
  return rows.filter((row) => row !== undefined)
}

function missing({ last }: State): readonly string[] {
  return section('Still missing', last?.verdict.missing.map((item) => `- ${words(item)}`) ?? [])
}

const decision = ({ iteration, action, rule, reason }: State['recent'][number]) =>
  `- ${iteration}. ${action} by ${rule}: ${words(reason)}`

function incident(event: JournalEvent): readonly string[] {
  const text = incidentText(event)
  return text === undefined ? [] : [`- ${iso(event.at)} ${words(text)}`]
}

function incidentText(event: JournalEvent): string | undefined {
  switch (event.type) {
    case 'breaker.changed':
      return `breaker ${event.from} -> ${event.to}: ${event.reason}`
    case 'breaker.reset':
      return `breaker reset by ${event.by}: ${event.reason}`
    case 'phase.changed':
      return `phase ${event.from ?? 'none'} -> ${event.to}${event.forced ? ` (forced by ${event.by ?? 'somebody'})` : ''}`
    case 'note':
      return event.text
    default:
      return undefined
  }
}

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines]

/** One line of a list item: text from elsewhere must not break out of it. */
const words = (text: string) => text.replace(/\s+/g, ' ').slice(0, 300)

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
