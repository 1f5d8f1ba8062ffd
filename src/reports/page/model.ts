import type { JournalEvent, State } from '../../core/journal/events.ts'
import { Fold } from '../../core/journal/fold.ts'
import { emptyState } from '../../core/journal/reduce.ts'
import { decideAgainWith, type PolicyLookup } from '../../core/journal/replay.ts'
import { askAll } from '../../core/policy/decide.ts'
import { endSentence } from '../../core/policy/ending-text.ts'
import { policyIfLoaded } from '../../core/presets/index.ts'
import type { RunEnd } from '../../core/run.ts'
import { lastWordRows } from '../../core/signals/last-words.ts'
import { nextSteps } from '../live/next-steps.ts'
import { configRows } from './config-rows.ts'
import { interventionOf } from './interventions.ts'
import { type Begun, type DecidedEvent, iterationOf, shownEvidence, shownFinding, tamperingOf } from './iteration.ts'
import { acceptedOf, provenBy, refusalsOf } from './outcome.ts'
import { type SafeText, safeTextWith } from './safe-text.ts'
import type { Intervention, Iteration, Output, Report, ReportEnd } from './types.ts'

export interface ReportOptions {
  /** The id of the run (default: the newest one). */
  readonly run?: string
  /** Name of the project, for the title. */
  readonly project?: string
  /** Redacts secrets. */
  readonly hide?: (text: string) => string
  /** The label of the run, and how reliable the confidence is. */
  readonly labelOf?: (run: string) => Report['label']
  /** Policies of past configurations. What can't be decided again has no trace. */
  readonly policyFor?: PolicyLookup
  /** The stored output of an iteration. */
  readonly outputOf?: (run: string, iteration: number, attempts: number) => Output | undefined
}

/** Traces are long, so only the newest and the notable ones are kept. */
const NEWEST_TRACES = 400
const NOTABLE_TRACES = 400
const INTERVENTIONS = 2000

type Draft = { -readonly [K in keyof Iteration]: Iteration[K] }

/** A past decision, to be decided again for its trace. */
interface Past {
  readonly draft: Draft
  readonly event: DecidedEvent
  readonly before: State
  written?: boolean
}

/** The run being read. Another `run.started` starts another one. */
class Reading {
  readonly iterations: Draft[] = []
  readonly interventions: Intervention[] = []
  dropped = 0
  seenAt = 0
  state: State = emptyState()
  begun: Begun = { attempts: 0 }
  weaker: readonly string[] = []
  readonly #notable: Past[] = []
  readonly #newest: Past[] = []

  constructor(
    readonly safe: SafeText,
    readonly decideAgain: ReturnType<typeof decideAgainWith>,
  ) {}

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
    const draft = iterationOf(
      event,
      { ...begun, ...(phase === undefined ? {} : { phase }) },
      this.safe,
      before.config?.required,
    )
    this.iterations.push(draft)
    this.#keepPast({ draft, event, before })
    this.begun = { attempts: 0 }
  }

  #keep(told: Intervention): void {
    this.interventions.push(told)
    if (this.interventions.length <= INTERVENTIONS) return
    this.interventions.shift()
    this.dropped++
  }

  #keepPast(past: Past): void {
    const { refused, action } = past.draft
    if ((refused || action !== 'continue') && this.#notable.length < NOTABLE_TRACES) {
      this.#notable.push(past)
      return
    }
    this.#newest.push(past)
    if (this.#newest.length > NEWEST_TRACES) delete this.#newest.shift()?.draft.trace
  }

  /** Decides only the iterations whose trace is shown; ten thousand would take too long. */
  writeTraces(): void {
    for (const past of [...this.#notable, ...this.#newest].filter(({ written }) => !written)) {
      past.written = true
      const { draft, event, before } = past
      const again = this.decideAgain(event, before)
      if (again === undefined) continue
      const { decision, policy } = again
      this.weaker = policy.weaker
      const { rule, trace } = decision.verdict
      if (!again.same) draft.differs = rule
      const unasked = { ...policy, rules: policy.rules.slice(trace.length) }
      draft.trace = [...trace, ...askAll(decision.facts, unasked)].map((each) => shownFinding(each, this.safe))
    }
  }
}

/** One run of a journal as plain data, or undefined without a run. */
export function reportModel(events: Iterable<JournalEvent>, options: ReportOptions = {}): Report | undefined {
  const model = openModel(options)
  for (const event of events) model.add(event)
  return model.report()
}

/** The same for a growing journal: each event is read once. */
export interface Model {
  add(event: JournalEvent): void
  report(): Report | undefined
}

export function openModel(options: ReportOptions = {}): Model {
  const safe = safeTextWith(options.hide ?? ((text) => text))
  const decideAgain = decideAgainWith(options.policyFor ?? policyIfLoaded)
  let reading: Reading | undefined
  const fold = new Fold()
  // Without a run id, each run replaces the previous one.
  const isWanted = (run: string): boolean => options.run === undefined || options.run === run
  return {
    add(event) {
      if (event.type === 'run.started' && isWanted(event.run)) reading = new Reading(safe, decideAgain)
      const before = fold.past
      fold.add(event)
      const state = fold.past
      if (reading === undefined || (options.run ?? state.run) !== state.run) return
      reading.note(event, before)
      reading.state = state
    },
    report: () =>
      reading === undefined || reading.state.run === undefined
        ? undefined
        : report(reading, reading.state.run, options),
  }
}

function report(reading: Reading, run: string, { project, outputOf, labelOf }: ReportOptions): Report {
  reading.writeTraces()
  const { state, safe, iterations, interventions, dropped, weaker } = reading
  const about = state.task ?? state.title
  const end = endOf(state, iterations.at(-1), safe)
  const label = labelOf?.(run)
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
    ...(about === undefined ? {} : { task: safe.line(about, 500) }),
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
    proven: provenBy(state, safe),
    refusals: refusalsOf(iterations),
    accepted: acceptedOf(state, safe),
    baseline: shownEvidence(state.baseline, safe, state.config?.required),
    iterations,
    tampering: tamperingOf(iterations),
    interventions,
    dropped,
    config: configRows(state.base ?? state.config, safe),
    ...(label && {
      label: { label: label.label, by: safe.line(label.by, 100), reason: safe.line(label.reason, 1000) },
    }),
  }
}

function endOf({ ended, previous }: State, last: Iteration | undefined, safe: SafeText): ReportEnd | undefined {
  if (ended === undefined) return undefined
  const { outcome, ending, cause, at } = ended
  const missing = ending === 'verified' ? [] : (last?.missing ?? [])
  const words = lastWordRows(previous, ended.reason).map(([name, text]) => [name, safe.line(text, 600)] as const)
  return {
    outcome,
    ending,
    ...(cause === undefined ? {} : { cause }),
    rule: last?.rule ?? '',
    reason: safe.line(endSentence(ended), 4000),
    at,
    missing,
    words: ending === 'verified' ? [] : words,
  }
}

function nextOf(state: State, end: ReportEnd | undefined, run: string): readonly string[] {
  const { ended, last, config, counters } = state
  if (ended === undefined || end === undefined) return ['`exitgate run --resume` continues a run that was cut off.']
  const told: RunEnd = {
    ...ended,
    rule: end.rule,
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
