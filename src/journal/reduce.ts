import type { Breaker, Spent } from '../types.ts'
import type { CountersAfter, Happening, JournalEvent, State } from './events.ts'

/** Raise this when the same events fold to another state, so that no snapshot of the older fold is believed. */
export const FOLD_VERSION = 1

const RECENT = 50
const NOTHING_SPENT: Spent = { ms: 0, tokens: 0, usd: 0 }

type Of<T extends Happening['type']> = Extract<JournalEvent, { type: T }>

export function emptyBreaker(): Breaker {
  return {
    state: 'closed',
    noProgress: 0,
    sameError: 0,
    gateBlocked: 0,
    failures: 0,
    denials: 0,
    loops: 0,
    sizes: [],
    opens: 0,
  }
}

export function emptyState(): State {
  return {
    iterations: 0,
    counters: { phaseIteration: 0, streaks: {}, breaker: emptyBreaker(), total: NOTHING_SPENT, trees: [] },
    phasesDone: [],
    recent: [],
    totals: { runs: 0, decisions: 0, continues: 0, stops: 0, claimsRefused: 0 },
    seq: 0,
  }
}

/** The state after one more event. A type that a later release of this version brings changes nothing but the number. */
export function reduce(state: State, event: JournalEvent): State {
  switch (event.type) {
    case 'run.started':
      return started(state, event)
    case 'iteration.started':
      return { ...goingOn(state), running: { iteration: event.iteration, at: event.at }, seq: event.seq }
    case 'iteration.decided':
      return decided(state, event)
    case 'phase.changed':
      return phaseChanged(state, event)
    case 'breaker.reset':
      return {
        ...state,
        counters: { ...state.counters, breaker: closedAgain(state.counters.breaker) },
        seq: event.seq,
      }
    case 'run.ended':
      return ended(state, event)
    case 'config.changed':
      return { ...state, config: event.config, seq: event.seq }
    default:
      return { ...state, seq: event.seq }
  }
}

/** A fresh run, but a stuck loop that is merely started again is still stuck: the breaker stays as it was. */
function started(state: State, event: Of<'run.started'>): State {
  const before = state.counters.breaker
  const config = event.config ?? state.config
  const counters: CountersAfter = {
    ...(event.phase === undefined ? {} : { phase: event.phase }),
    phaseIteration: 0,
    streaks: {},
    breaker: config?.breaker.autoReset ? closedAgain(before) : before,
    total: NOTHING_SPENT,
    trees: [],
  }
  return {
    run: event.run,
    ...(config === undefined ? {} : { config }),
    ...(event.task === undefined ? {} : { task: event.task }),
    startedAt: event.at,
    ...(event.baseline === undefined ? {} : { baseline: event.baseline }),
    ...(event.baselineId === undefined ? {} : { baselineId: event.baselineId }),
    iterations: 0,
    counters,
    phasesDone: [],
    recent: [],
    totals: { ...state.totals, runs: state.totals.runs + 1 },
    seq: event.seq,
  }
}

function decided(state: State, event: Of<'iteration.decided'>): State {
  const { iteration, at, verdict, observation, after } = event
  const entry = { iteration, at, action: verdict.action, rule: verdict.rule, reason: verdict.reason }
  const { totals } = state
  const opened = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  return {
    ...goingOn(state),
    iterations: iteration,
    counters: after,
    previous: observation,
    last: { iteration, at, verdict },
    recent: [...state.recent.slice(1 - RECENT), entry],
    totals: {
      runs: totals.runs,
      decisions: totals.decisions + 1,
      continues: totals.continues + (verdict.action === 'continue' ? 1 : 0),
      stops: totals.stops + (verdict.action === 'stop' ? 1 : 0),
      claimsRefused: totals.claimsRefused + (verdict.gate.claim === 'yes' && !opened ? 1 : 0),
    },
    seq: event.seq,
  }
}

function phaseChanged(state: State, event: Of<'phase.changed'>): State {
  const { counters } = state
  const phase = event.from ?? counters.phase
  const done = { iterations: event.iterations ?? counters.phaseIteration, at: event.at, forced: event.forced }
  return {
    ...state,
    counters: { ...counters, phase: event.to, phaseIteration: 0 },
    phasesDone: phase === undefined ? state.phasesDone : [...state.phasesDone, { phase, ...done }],
    seq: event.seq,
  }
}

function ended(state: State, event: Of<'run.ended'>): State {
  const { outcome, ending, reason, at } = event
  return { ...goingOn(state), ended: { outcome, ending, reason, at }, seq: event.seq }
}

/** Whatever is decided or begun after an ending means that the run goes on: an interrupted run was taken up again. */
function goingOn(state: State): State {
  if (state.ended === undefined && state.running === undefined) return state
  const { ended: _ended, running: _running, ...rest } = state
  return rest
}

function closedAgain(breaker: Breaker): Breaker {
  return { ...emptyBreaker(), opens: breaker.opens }
}
