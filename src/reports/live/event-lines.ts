import { count, listOf } from '../../../packages/core/src/count.ts'
import { foldLine } from '../../../packages/core/src/fold.ts'
import { leftBehindText } from '../../../packages/core/src/left-running.ts'
import { changesToDecide } from '../../core/accepting.ts'
import { isPrinted, type LoopEvent } from '../../core/loop-event.ts'
import { endSentence, verdictSentence } from '../../core/policy/ending-text.ts'
import { acceptHint } from '../../core/policy/remedy.ts'
import type { RunEnd } from '../../core/run.ts'
import type { Decision, EvidenceSet, Grounds } from '../../core/types.ts'
import { BREAKER_TEXT } from '../plain-words.ts'
import { factLines } from '../preflight-text.ts'
import { painter, proofText, type Style, toneOf } from '../verdict-text.ts'
import { statusText } from './blocks/head.ts'
import { checkMarks } from './check-marks.ts'
import { asciiOnly, clean } from './clean.ts'
import { clockText, durationText } from './duration.ts'
import { paintLine } from './line.ts'
import { checksBefore, controlText, type View } from './view.ts'

export interface LineStyle extends Style {
  readonly unicode: boolean
  /** Minutes the reader's clock is ahead of UTC. */
  readonly zone: number
  /** The width of a terminal, where long lines are broken between words. */
  readonly columns?: number | undefined
  /** What the decision before this one needed. It is not repeated. */
  readonly needed?: readonly string[] | undefined
  /** How often the baseline ran the tests, and how long all of it took. */
  readonly tested?: { readonly runs: number; readonly ms: number } | undefined
}

/** As wide as a time. */
const INDENT = '         '

type Paint = ReturnType<typeof painter>

/** One event as lines for a pipe or a log, each with its time. `wordLines` has what the agent prints. */
export function plainLine(event: LoopEvent, style: LineStyle): readonly string[] {
  if (isSilent(event)) return []
  const paint = painter(style)
  const [first, ...more] = textOf(event, style, paint)
  if (first === undefined) return []
  const time = paint(clockText(event.at, style.zone), 'dim')
  return fitted([`${time} ${first}`, ...more.map((line) => `${INDENT}${line}`)], style, INDENT)
}

/** A line of the agent's own words. */
export const wordLines = (text: string, style: LineStyle): readonly string[] =>
  fitted([painter(style)(`${INDENT}| ${clean(text)}`, 'dim')], style, `${INDENT}| `)

function fitted(lines: readonly string[], { unicode, columns = Number.POSITIVE_INFINITY }: LineStyle, indent: string) {
  return (unicode ? lines : lines.map(asciiOnly)).flatMap((line) => foldLine(line, columns, indent))
}

/** A line for logs after a while without events: what the run is doing. */
export function heartbeatLine(view: View, now: number, style: LineStyle): string {
  const which = view.iteration === 0 ? '' : `iteration ${view.iteration}: `
  const line = `${painter(style)(clockText(now, style.zone), 'dim')} ${which}${statusText(view, now)}`
  return style.unicode ? line : asciiOnly(line)
}

const SILENT = [
  'output',
  'usage',
  'plan',
  'command',
  'command-output',
  'command-ended',
  'diff',
  'asking',
  'recorded',
] as const
type Silent = Extract<LoopEvent, { type: (typeof SILENT)[number] }>
type Timed = Exclude<LoopEvent, Silent>

/** Too much for a log, or told by another event. */
const isSilent = (event: LoopEvent): event is Silent => SILENT.some((type) => type === event.type)

function textOf(event: Timed, style: LineStyle, paint: Paint): readonly string[] {
  switch (event.type) {
    case 'preflight':
      return factLines(event.facts, { paint, clean, columns: style.columns && style.columns - INDENT.length })
    case 'started':
      return [
        `run ${clean(event.run)} ${event.resumed ? `resumed after iteration ${event.iterations}` : 'started'} in ${clean(event.workspace)}, preset ${clean(event.preset)}`,
        ...(event.resumed && event.sandbox !== undefined ? [`sandbox: ${clean(event.sandbox)}`] : []),
        ...event.weaker.map((each) => `${paint('weaker than default:', 'yellow')} ${clean(each)}`),
      ]
    case 'baseline':
      if (!event.done) return ['baseline: running the checks before the agent starts; tests that fail run again']
      return [`baseline: ${baselineText(checksBefore(event) ?? {}, style)}`, ...alreadyFailing(event)]
    case 'iteration':
      return [
        `iteration ${event.iteration}${event.attempt > 1 ? `, start ${event.attempt}` : ''}: the agent is working${event.task === undefined ? '' : ` on: ${clean(event.task)}`}${named('phase', event.phase)}`,
      ]
    case 'agent-ended':
      return agentEnded(event, paint)
    case 'evidence':
      return [`iteration ${event.iteration}: running the checks`]
    case 'decided':
      return decided(event, style, paint)
    case 'waiting':
      return [
        event.until === undefined
          ? `waiting for you: ${clean(event.why)}`
          : `waiting ${durationText(event.until - event.at)}: ${clean(event.why)}`,
      ]
    case 'waited':
      return ['continuing']
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

const NO_CHECKS = 'no checks found. `exitgate doctor` shows what is missing'

function baselineText(checks: EvidenceSet, style: LineStyle): string {
  const marks = paintLine(checkMarks(checks, [], style), style)
  const { runs = 0, ms = 0 } = style.tested ?? {}
  const time = runs === 0 ? '' : ` (${count(runs, 'test run')} in ${secondsText(ms)})`
  return marks === '' ? NO_CHECKS : `${marks}${time}`
}

/** Test runs are often shorter than a second. */
const secondsText = (ms: number): string => (ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : durationText(ms))

const MOST_FAILING = 10
/** The reason, and the end of what the command printed. */
const firstLines = (detail: string): string => detail.split('\n').slice(0, 4).join(' ').slice(0, 400)

/** Tests that fail at the start have to pass as well, unless you accept them. */
function alreadyFailing({ evidence, acceptsFailing }: Extract<LoopEvent, { type: 'baseline' }>): readonly string[] {
  const tests = evidence?.tests
  if (tests?.answer === 'unknown') return [`the tests gave no result: ${clean(firstLines(tests.detail))}`]
  const failing = (tests?.named?.failing ?? []).map((name) => `"${clean(name)}"`)
  if (failing.length === 0) return []
  const already = count(failing.length, 'test already fails', 'tests already fail')
  const them = failing.length === 1 ? 'it' : 'them'
  const required = `and must pass (--accept-failing accepts ${them})`
  const rest = `and must pass if this task names ${them}, or after all tasks`
  const what = acceptsFailing === true ? 'and may fail (--accept-failing)' : acceptsFailing ? rest : required
  return [`${already} ${what}: ${listOf(failing, MOST_FAILING)}`]
}

function agentEnded(
  { iteration, result }: Extract<LoopEvent, { type: 'agent-ended' }>,
  paint: Paint,
): readonly string[] {
  const how = {
    exit: result.code === null ? `was stopped by ${result.signal ?? 'a signal'}` : `exited with code ${result.code}`,
    deadline: 'timed out',
    silence: 'timed out without output',
    runaway: 'was stopped',
    aborted: 'was stopped',
    'not-started': 'did not start',
  }[result.ended]
  // The first line says the code already.
  const problem =
    result.problem === undefined || result.problem === `it ${how}` ? [] : [paint(clean(result.problem), 'yellow')]
  const errors = result.errors.slice(0, 3).map(({ kind, message }) => paint(`${kind}: ${clean(message)}`, 'yellow'))
  const left = leftBehindText(result).map((text) => paint(clean(text), 'yellow'))
  return [
    `iteration ${iteration}: the agent ${clean(how)} after ${durationText(result.ms)}`,
    ...problem,
    ...errors,
    ...left,
  ]
}

function decided(
  { iteration, verdict, transitions, observation, state }: Extract<LoopEvent, { type: 'decided' }>,
  style: LineStyle,
  paint: Paint,
): readonly string[] {
  const checks = paintLine(checkMarks(observation.evidence, state.config?.required, style), style)
  const warnings = verdict.action === 'continue' ? verdict.warnings.filter((each) => each !== verdict.reason) : []
  return [
    `iteration ${iteration}: ${paint(clean(verdictSentence(verdict)), toneOf(verdict))}`,
    ...(observation.failed === undefined ? [] : [paint(`failed: ${clean(observation.failed.reason)}`, 'yellow')]),
    ...(observation.interrupted ? [] : [`checks: ${checks || NO_CHECKS}`]),
    ...proofText(observation.evidence).map(clean),
    ...stillNeeded(verdict, style.needed).map((each) => `still needed: ${clean(each)}`),
    ...(isRejected(verdict) ? acceptHint(changesToDecide(observation.evidence)).map(clean) : []),
    ...warnings.map((each) => `${paint('warning:', 'yellow')} ${clean(each)}`),
    ...transitions.map(({ to, reason }) => paint(`circuit breaker ${BREAKER_TEXT[to]}: ${clean(reason)}`, 'yellow')),
  ]
}

const isRejected = ({ action, gate }: Pick<Decision & Grounds, 'action' | 'gate'>): boolean =>
  action === 'continue' && gate.claim === 'yes'

/** What neither the sentence of the verdict nor the lines of the one before say already. */
function stillNeeded(verdict: Decision & Pick<Grounds, 'missing' | 'reason'>, before: readonly string[] = []) {
  if (verdict.action === 'stop' && verdict.ending === 'verified') return []
  const more = verdict.missing.filter((each) => !verdict.reason.includes(each))
  return more.length === 1 && verdict.action === 'continue' ? [] : more.filter((each) => !before.includes(each))
}

const endLine = (end: RunEnd, paint: Paint): string =>
  `${paint(clean(endSentence(end)), toneOf({ action: 'stop', ...end }))} (${count(end.iterations, 'iteration')})`

export interface JsonOptions {
  /** Include the agent's output. */
  readonly output: boolean
  /** The exit code, for the last line. */
  readonly exitCode: number
}

/** One event as one line of JSON, without the line break. */
export function jsonLine(event: LoopEvent, options: JsonOptions): string | undefined {
  if (isPrinted(event) && !options.output) return undefined
  return harmless(JSON.stringify(jsonDocument(event, options)))
}

/** One event for programs. */
export function jsonDocument(event: LoopEvent, { exitCode }: Pick<JsonOptions, 'exitCode'>): object {
  switch (event.type) {
    case 'decided': {
      // The whole state is in the journal; what a decision changes is enough here.
      const { state, ...rest } = event
      const { breaker, streaks, total } = state.counters
      return { ...rest, counters: { iterations: state.iterations, breaker, streaks, total } }
    }
    case 'recorded':
      // The journal has them in full; this only says which lines are on disk now.
      return { type: event.type, events: event.events.map(({ seq, at, type }) => ({ seq, at, type })) }
    case 'ended':
      // As the library has it. The fields of `end` next to it are those of 0.1.
      return { ...event, exitCode, ...event.end }
    default:
      return event
  }
}

/** JSON allows characters that control a terminal or split a line. Escaped, they mean the same. */
export const harmless = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
