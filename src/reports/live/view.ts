import type { State } from '../../core/journal/events.ts'
import { emptyState, reduce } from '../../core/journal/reduce.ts'
import type { LoopEvent, TestCounts } from '../../core/loop-event.ts'
import type { Control, PreflightFact, RunEnd } from '../../core/run.ts'
import type { EvidenceSet } from '../../core/types.ts'
import { BREAKER_TEXT } from '../plain-words.ts'
import { type IterationView, opened, withLast } from './iterations.ts'
import { appendText } from './tail.ts'

type Of<Type extends LoopEvent['type']> = Extract<LoopEvent, { type: Type }>

/** What the run is doing, and since when. */
export type Doing =
  | { readonly kind: 'starting' | 'baseline' | 'agent' | 'evidence' | 'deciding'; readonly since: number }
  | { readonly kind: 'waiting'; readonly since: number; readonly until: number | undefined; readonly why: string }
  | { readonly kind: 'ended'; readonly since: number; readonly end: RunEnd }

export interface Note {
  readonly text: string
  readonly warning: boolean
}

/** Numbers of one decision, for the small charts. */
export interface Point {
  readonly passed: number | undefined
  readonly confidence: number | undefined
}

/** A command of a check that is running now. */
export type RunningCommand = Of<'command'> & { readonly counts?: TestCounts | undefined }

/** Everything a frame shows: the fold of a run's events. */
export interface View {
  readonly started: Of<'started'> | undefined
  readonly state: State
  /** What was checked before the first iteration. */
  readonly facts: readonly PreflightFact[]
  readonly doing: Doing
  readonly iteration: number
  readonly attempt: number
  readonly phase: string | undefined
  readonly task: string | undefined
  /** Time of the agent's last output. */
  readonly heardAt: number | undefined
  readonly decided: Of<'decided'> | undefined
  /** The checks of the previous iteration, or of the baseline. */
  readonly before: EvidenceSet | undefined
  readonly history: readonly Point[]
  readonly stopping: { readonly message: string; readonly now: boolean } | undefined
  readonly paused: boolean
  readonly notes: readonly Note[]
  readonly plan: Of<'plan'> | undefined
  /** What the current start of the agent has used so far. */
  readonly used: Pick<Of<'usage'>, 'tokens' | 'usd'>
  readonly commands: readonly RunningCommand[]
  /** Oldest first. The last one is the current one. */
  readonly iterations: readonly IterationView[]
}

const MOST_NOTES = 20
const MOST_POINTS = 200

export function emptyView(): View {
  return {
    started: undefined,
    state: emptyState(),
    facts: [],
    doing: { kind: 'starting', since: 0 },
    iteration: 0,
    attempt: 1,
    phase: undefined,
    task: undefined,
    heardAt: undefined,
    decided: undefined,
    before: undefined,
    history: [],
    stopping: undefined,
    paused: false,
    notes: [],
    plan: undefined,
    used: {},
    commands: [],
    iterations: [],
  }
}

/** Before the agent starts, nothing can have changed. */
export function checksBefore({ evidence }: Pick<Of<'baseline'>, 'evidence'>): EvidenceSet | undefined {
  if (evidence === undefined) return undefined
  const { changed: _changed, clean: _clean, ...checks } = evidence
  return checks
}

/** The view after one more event. */
export function follow(view: View, event: LoopEvent): View {
  switch (event.type) {
    case 'preflight':
      return { ...view, facts: event.facts }
    case 'started':
      return started(view, event)
    case 'baseline':
      if (!event.done)
        return { ...view, doing: { kind: 'baseline', since: event.at }, iterations: opened(view.iterations, 0) }
      return { ...view, before: checksBefore(event) ?? view.before, doing: { kind: 'deciding', since: event.at } }
    case 'iteration':
      return {
        ...view,
        iteration: event.iteration,
        attempt: event.attempt,
        phase: event.phase ?? view.phase,
        task: event.task,
        heardAt: event.at,
        used: {},
        iterations: opened(view.iterations, event.iteration, event.task),
        doing: { kind: 'agent', since: event.at },
      }
    case 'output':
      return {
        ...view,
        heardAt: event.at,
        iterations: withLast(view, ({ output }) => ({ output: appendText(output, event.text) })),
      }
    case 'usage':
      return { ...view, used: event }
    case 'plan':
      return { ...view, plan: event }
    case 'agent-ended':
      return { ...view, doing: { kind: 'deciding', since: event.at } }
    case 'evidence':
      return { ...view, doing: { kind: 'evidence', since: event.at } }
    case 'command': {
      const title = `$ ${event.command}${runText(event)}${checkText(event.check)}\n`
      return {
        ...view,
        commands: [...view.commands, event].slice(-MOST_COMMANDS),
        iterations: withLast(view, ({ printed }) => ({ printed: appendText(printed, title) })),
      }
    }
    case 'command-output':
      return {
        ...view,
        commands: view.commands.map((each) =>
          each.id === event.id && event.counts ? { ...each, counts: event.counts } : each,
        ),
        iterations: withLast(view, ({ printed }) => ({ printed: appendText(printed, event.text) })),
      }
    case 'command-ended':
      return { ...view, commands: view.commands.filter(({ id }) => id !== event.id) }
    case 'diff':
      return { ...view, iterations: withLast(view, () => ({ diff: event })) }
    case 'asking':
      return view
    case 'decided':
      return decided(view, event)
    case 'waiting':
      return { ...view, doing: { kind: 'waiting', since: event.at, until: event.until, why: event.why } }
    case 'waited':
      return { ...view, doing: { kind: 'deciding', since: event.at } }
    case 'interrupted':
      return { ...view, stopping: { message: event.message, now: event.now } }
    case 'control':
      return control(view, event.control)
    case 'checkpoint':
      return noted(view, `committed ${event.commit.slice(0, 10)} to ${event.branch}`, false)
    case 'recorded':
      return { ...view, state: event.events.reduce((state, each) => reduce(state, each), view.state) }
    case 'warning':
      return noted(view, event.text, true)
    case 'ended':
      return { ...view, doing: { kind: 'ended', since: event.at, end: event.end } }
  }
}

/** Which check a command is for. Tests that fail on a changed copy would otherwise look like failures of the work. */
export function checkText(check: string): string {
  if (check === 'tests') return ''
  return check === 'proof' ? ', on a copy that exitgate changed' : `, ${check}`
}

/** `, run 2: 1 failing test again` */
export const runText = ({ run, why }: Pick<RunningCommand, 'run' | 'why'>): string =>
  run === undefined || why === undefined ? '' : `, run ${run}: ${why}`

const MOST_COMMANDS = 10

function started(view: View, event: Of<'started'>): View {
  const before: State = { ...view.state, run: event.run, config: event.config, iterations: event.iterations }
  return {
    ...view,
    started: event,
    state: { ...before, startedAt: view.state.startedAt ?? event.at },
    iteration: event.iterations,
    phase: event.phases?.[0],
    doing: { kind: 'starting', since: event.at },
  }
}

function decided(view: View, event: Of<'decided'>): View {
  const { verdict, observation } = event
  const point: Point = {
    passed: observation.evidence.tests?.counts?.passed,
    confidence: verdict.measures.confidence ?? verdict.measures.score,
  }
  const next: View = {
    ...view,
    state: event.state,
    decided: event,
    before: view.decided?.observation.evidence ?? view.before,
    iteration: event.iteration,
    phase: event.state.counters.phase ?? event.phase ?? view.phase,
    task: event.task ?? view.task,
    history: [...view.history, point].slice(-MOST_POINTS),
    used: {},
    iterations: withLast({ iterations: opened(view.iterations, event.iteration, event.task) }, () => ({
      decided: { verdict, observation, at: event.at },
    })),
    doing: { kind: 'deciding', since: event.at },
  }
  const moves = event.transitions.map(({ to, reason }) => `circuit breaker ${BREAKER_TEXT[to]}: ${reason}`)
  return moves.reduce((seen, text) => noted(seen, text, true), next)
}

const CONTROLS: Readonly<Record<Control['kind'], string>> = {
  interrupt: 'stop requested',
  force: 'forced to complete',
  skip: 'task skipped',
  'reset-breaker': 'circuit breaker reset',
  accept: 'finding accepted',
  guidance: 'guidance for the agent',
  pause: 'paused',
  resume: 'resumed',
}

/** `resumed by mia: back from lunch` */
export const controlText = ({ kind, by, reason, ...more }: Control): string =>
  `${CONTROLS[kind]}${'ids' in more ? ` (${more.ids?.join(', ')})` : ''}${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : `: ${reason}`}`

function control(view: View, asked: Control): View {
  const paused = asked.kind === 'pause' || (view.paused && asked.kind !== 'resume')
  const stops = { message: 'Stopping the run after this iteration.', now: false }
  const stopping =
    asked.kind !== 'interrupt' ? view.stopping : asked.now ? { message: 'Stopping the run.', now: true } : stops
  return noted({ ...view, paused, stopping }, controlText(asked), false)
}

/** Adds a note. A repeated one moves to the end. */
export function noted(view: View, text: string, warning: boolean): View {
  const others = view.notes.filter((note) => note.text !== text)
  return { ...view, notes: [...others, { text, warning }].slice(-MOST_NOTES) }
}
