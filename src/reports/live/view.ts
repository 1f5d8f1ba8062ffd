import type { State } from '../../core/journal/events.ts'
import { emptyState, reduce } from '../../core/journal/reduce.ts'
import type { Control, LoopEvent, PreflightFact, RunEnd } from '../../core/run.ts'
import type { EvidenceSet } from '../../core/types.ts'
import { clean } from './clean.ts'

/** The end of the agent's output: complete lines, cleaned, and the raw start of the last, incomplete one. */
interface Tail {
  readonly lines: readonly string[]
  readonly open: string
}

export const EMPTY_TAIL: Tail = { lines: [], open: '' }

const MOST_LINES = 200
const MOST_TEXT = 32_768
const MOST_OPEN = 4096

/**
 * The tail with one more piece; of a long piece only the end counts. The incomplete line stays raw, because an escape sequence may be
 * split between pieces.
 */
export function appendText(tail: Tail, text: string): Tail {
  const parts = (tail.open + text.slice(-MOST_TEXT)).replaceAll('\r\n', '\n').split('\n')
  const open = parts.pop() ?? ''
  const lines = parts.slice(-MOST_LINES).map((part) => clean(shownPart(part)))
  const kept = [...tail.lines, ...lines].slice(-MOST_LINES)
  return { lines: withoutGaps(kept), open: shownPart(open).slice(-MOST_OPEN) }
}

/** A carriage return starts the line again, as progress bars do. One at the very end has not overwritten anything yet. */
function shownPart(text: string): string {
  const bare = text.replace(/\r+$/, '')
  const again = bare.slice(bare.lastIndexOf('\r') + 1)
  return text.endsWith('\r') ? `${again}\r` : again
}

/** No more than one empty line in a row. */
const withoutGaps = (lines: readonly string[]): readonly string[] =>
  lines.filter((line, at) => line.trim() !== '' || (at > 0 && lines[at - 1]?.trim() !== ''))

/** The lines to show, the incomplete one last. */
export function tailLines(tail: Tail): readonly string[] {
  const open = clean(tail.open)
  return open === '' ? tail.lines : [...tail.lines, open]
}

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
  readonly tail: Tail
  /** The tail is from the previous iteration. New output replaces it. */
  readonly stale: boolean
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
    tail: EMPTY_TAIL,
    stale: false,
  }
}

/** The view after one more event. `heard` is the time it arrived, because output events have no time. */
export function follow(view: View, event: LoopEvent, heard?: number): View {
  switch (event.type) {
    case 'preflight':
      return { ...view, facts: event.facts }
    case 'started':
      return started(view, event)
    case 'baseline':
      if (!event.done) return { ...view, doing: { kind: 'baseline', since: event.at } }
      return { ...view, before: event.evidence ?? view.before, doing: { kind: 'deciding', since: event.at } }
    case 'iteration':
      return {
        ...view,
        iteration: event.iteration,
        attempt: event.attempt,
        phase: event.phase ?? view.phase,
        task: event.task,
        heardAt: event.at,
        stale: true,
        doing: { kind: 'agent', since: event.at },
      }
    case 'output':
      return {
        ...view,
        heardAt: heard ?? view.heardAt,
        tail: appendText(view.stale ? EMPTY_TAIL : view.tail, event.text),
        stale: false,
      }
    case 'agent-ended':
      return { ...view, doing: { kind: 'deciding', since: event.at } }
    case 'evidence':
      return { ...view, doing: { kind: 'evidence', since: event.at } }
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
    doing: { kind: 'deciding', since: event.at },
  }
  const moves = event.transitions.map(({ from, to, reason }) => `circuit breaker ${from} -> ${to}: ${reason}`)
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
  return noted({ ...view, paused }, controlText(asked), false)
}

/** Adds a note. A repeated one moves to the end. */
function noted(view: View, text: string, warning: boolean): View {
  const others = view.notes.filter((note) => note.text !== text)
  return { ...view, notes: [...others, { text, warning }].slice(-MOST_NOTES) }
}
