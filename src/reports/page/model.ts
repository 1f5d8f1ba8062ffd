import type { JournalEvent, State } from '../../core/journal/events.ts'
import { emptyState, reduce } from '../../core/journal/reduce.ts'
import { type PolicyOfPast, type Replayed, replayer } from '../../core/journal/replay.ts'
import { askAll } from '../../core/policy/decide.ts'
import { policyIfLoaded } from '../../core/presets/index.ts'
import type { RunEnd } from '../../core/run.ts'
import { nextSteps } from '../live/next-steps.ts'
import { configRows } from './config-rows.ts'
import { interventionOf } from './interventions.ts'
import { type Begun, iterationOf, shownEvidence, shownFinding, tamperingOf } from './iteration.ts'
import { type SafeText, safeTextWith } from './safe-text.ts'
import type { Intervention, Iteration, Output, Report, ReportEnd } from './types.ts'

export interface ReportOptions {
  /** The run by its id; else the newest one. */
  readonly run?: string
  /** Name of the project, for the title. */
  readonly project?: string
  /** Takes out what looks like a secret. */
  readonly hide?: (text: string) => string
  /** What labels say about this run, and about the confidence shown in all of them. */
  readonly learned?: (run: string) => Pick<Report, 'label' | 'reliability'>
  /** Else those of the code that is loaded; what cannot be decided again has no trace. */
  readonly policyFor?: PolicyOfPast
  /** What was kept of an iteration's output. */
  readonly outputOf?: (run: string, iteration: number, attempts: number) => Output | undefined
}

/** Traces are long: the newest are kept, and so many of the iterations that people ask about. */
const NEWEST_TRACES = 400
const NOTABLE_TRACES = 400
const INTERVENTIONS = 2000

type Draft = { -readonly [K in keyof Iteration]: Iteration[K] }

/** The run as it is being read; another `run.started` begins another one. */
class Reading {
  readonly iterations: Draft[] = []
  readonly interventions: Intervention[] = []
  dropped = 0
  seenAt = 0
  state: State = emptyState()
  begun: Begun = { attempts: 0 }
  weaker: readonly string[] = []
  readonly #notable = new Map<Draft, Replayed>()
  readonly #newest: (readonly [Draft, Replayed])[] = []

  constructor(readonly safe: SafeText) {}

  note(event: JournalEvent, before: State): void {
    this.seenAt = event.at
    if (event.type === 'iteration.started') {
      const { phase = before.counters.phase, task } = event
      this.begun = {
        attempts: event.attempt ?? 1,
        ...(phase === undefined ? {} : { phase }),
        ...(task === undefined ? {} : { task }),
      }
    }
    const iteration = this.state.running?.iteration ?? this.state.iterations
    const told = interventionOf(event, event.type === 'iteration.decided' ? event.iteration : iteration, this.safe)
    if (told !== undefined) this.#keep(told)
    if (event.type !== 'iteration.decided') return
    const { phase = before.counters.phase, ...begun } = this.begun
    this.iterations.push(iterationOf(event, { ...begun, ...(phase === undefined ? {} : { phase }) }, this.safe))
    this.begun = { attempts: 0 }
  }

  #keep(told: Intervention): void {
    this.interventions.push(told)
    if (this.interventions.length <= INTERVENTIONS) return
    this.interventions.shift()
    this.dropped++
  }

  trace(again: Replayed): void {
    const { event, decision, policy, same } = again
    const draft = this.iterations.at(-1)
    if (draft === undefined || draft.n !== event.iteration) return
    this.weaker = policy.weaker
    if (!same) draft.differs = decision.verdict.rule
    const notable = draft.refused || draft.action !== 'continue'
    if (notable && this.#notable.size < NOTABLE_TRACES) {
      this.#notable.set(draft, again)
      return
    }
    this.#newest.push([draft, again])
    if (this.#newest.length > NEWEST_TRACES) delete this.#newest.shift()?.[0].trace
  }

  /** Every rule is asked again only for those that are shown. */
  writeTraces(): void {
    for (const [draft, { decision, policy }] of [...this.#notable, ...this.#newest])
      draft.trace ??= askAll(decision.facts, policy).map((each) => shownFinding(each, this.safe))
  }
}

/** One run of a journal as plain data, or nothing when there is none. Pure, but for what the options bring. */
export function reportModel(events: Iterable<JournalEvent>, options: ReportOptions = {}): Report | undefined {
  const model = openModel(options)
  for (const event of events) model.add(event)
  return model.report()
}

/** The same for a journal that goes on: what was added once is not looked at again. */
export interface Model {
  add(event: JournalEvent): void
  report(): Report | undefined
}

export function openModel(options: ReportOptions = {}): Model {
  const safe = safeTextWith(options.hide ?? ((text) => text))
  const again = replayer(options.policyFor ?? policyIfLoaded)
  let reading: Reading | undefined
  let state = emptyState()
  return {
    add(event) {
      if (event.type === 'run.started') reading = startedOf(event.run, reading, options, safe)
      const before = state
      state = reduce(state, event)
      if (reading !== undefined && (options.run ?? state.run) === state.run) {
        reading.note(event, before)
        reading.state = state
      }
      const replayed = again(event)
      if (replayed !== undefined && replayed.before.run === reading?.state.run) reading?.trace(replayed)
    },
    report: () =>
      reading === undefined || reading.state.run === undefined
        ? undefined
        : report(reading, reading.state.run, options),
  }
}

/** The run that is asked for stays; without a name each run takes the place of the one before. */
function startedOf(
  run: string,
  reading: Reading | undefined,
  options: ReportOptions,
  safe: SafeText,
): Reading | undefined {
  if (options.run !== undefined && options.run !== run) return reading
  return new Reading(safe)
}

function report(reading: Reading, run: string, { project, outputOf, learned }: ReportOptions): Report {
  const { state, safe, iterations, interventions, dropped, weaker } = reading
  const end = endOf(state, iterations.at(-1), safe)
  reading.writeTraces()
  if (outputOf !== undefined)
    for (const each of [...iterations].reverse()) {
      const output = outputOf(run, each.n, each.attempts)
      if (output !== undefined) each.output = shownOutput(output, safe)
    }
  return {
    v: 1,
    run: safe.line(run, 200),
    preset: safe.line(state.config?.preset ?? 'unknown', 50),
    ...(project === undefined ? {} : { project: safe.line(project, 200) }),
    ...(state.task === undefined ? {} : { task: safe.line(state.task, 500) }),
    startedAt: state.startedAt ?? iterations[0]?.at ?? 0,
    seenAt: reading.seenAt,
    ...(end === undefined ? {} : { end }),
    ...(state.running === undefined ? {} : { running: { iteration: state.running.iteration, at: state.running.at } }),
    ...(state.counters.phase === undefined ? {} : { phase: safe.line(state.counters.phase, 100) }),
    next: nextOf(state, end, run).map((each) => safe.line(each)),
    weaker,
    totals: {
      iterations: iterations.length,
      claims: iterations.filter(({ claim }) => claim === 'yes').length,
      refused: iterations.filter(({ refused }) => refused).length,
      failures: iterations.filter(({ failed }) => failed !== undefined).length,
      spent: state.counters.total,
    },
    baseline: shownEvidence(state.baseline, safe),
    iterations,
    tampering: tamperingOf(iterations),
    interventions,
    dropped,
    config: configRows(state.base ?? state.config, safe),
    ...(learned === undefined ? {} : shownLabel(learned(run), safe)),
  }
}

function shownLabel({ label, reliability }: Pick<Report, 'label' | 'reliability'>, safe: SafeText) {
  const told = label && { label: label.label, by: safe.line(label.by, 100), reason: safe.line(label.reason, 1000) }
  return { ...(told && { label: told }), ...(reliability && { reliability }) }
}

function endOf({ ended }: State, last: Iteration | undefined, safe: SafeText): ReportEnd | undefined {
  if (ended === undefined) return undefined
  const { outcome, ending, reason, at } = ended
  const missing = ending === 'verified' ? [] : (last?.missing ?? [])
  return { outcome, ending, rule: last?.rule ?? '', reason: safe.line(reason, 4000), at, missing }
}

function nextOf(state: State, end: ReportEnd | undefined, run: string): readonly string[] {
  const { ended, last, config, counters } = state
  if (ended === undefined || end === undefined) return ['exitgate run --resume goes on with a run that was cut off']
  const told: RunEnd = {
    outcome: ended.outcome,
    ending: ended.ending,
    rule: end.rule,
    reason: ended.reason,
    run,
    preset: config?.preset ?? 'default',
    iterations: state.iterations,
    startedAt: state.startedAt ?? ended.at,
    endedAt: ended.at,
    total: counters.total,
    ...(state.task === undefined ? {} : { task: state.task }),
    missing: last?.verdict.missing ?? [],
    killed: false,
  }
  return nextSteps(told, state)
}

const OUTPUT = 1024 * 1024

const shownOutput = ({ files }: Output, safe: SafeText): Output => ({
  files: files.map(({ name, text, left }) => ({
    name: safe.line(name, 300),
    ...(text === undefined ? {} : { text: safe.block(text, OUTPUT) }),
    ...(left === undefined ? {} : { left }),
  })),
})
