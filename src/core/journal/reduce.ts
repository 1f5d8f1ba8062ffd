import { withUsage } from '../../../packages/exitgate/src/agents/session-usage.ts'
import { CLOSED } from '../policy/breaker.ts'
import type { Breaker, EvidenceSet, Spent } from '../types.ts'
import { accepted, acceptedBefore } from './accepted.ts'
import type { CountersAfter, EventInput, JournalEvent, State } from './events.ts'

/** Increase this when the same events produce a different state, so that older snapshots are ignored. */
export const FOLD_VERSION = 6

const RECENT = 50
const GUIDANCE = 5
export const HOUR = 3_600_000
export const MAX_STARTS = 10_000
const NOTHING_SPENT: Spent = { ms: 0, tokens: 0, usd: 0 }

type Of<T extends EventInput['type']> = Extract<JournalEvent, { type: T }>

export function emptyState(): State {
  return {
    iterations: 0,
    counters: { phaseIteration: 0, streaks: {}, breaker: CLOSED, total: NOTHING_SPENT, trees: [] },
    phasesDone: [],
    recent: [],
    totals: { runs: 0, decisions: 0, continues: 0, stops: 0, claimsRefused: 0 },
    seq: 0,
  }
}

/** The state after one more event. Unknown types from later releases only advance `seq`. */
export function reduce(state: State, event: JournalEvent): State {
  switch (event.type) {
    case 'run.started':
      return started(state, event)
    case 'run.resumed':
      return resumed(state, event)
    case 'iteration.started':
      return iterationStarted(state, event)
    case 'agent.started':
      return agentStarted(state, event)
    case 'step.done':
      return { ...state, steps: { ...state.steps, [event.name]: event.result }, seq: event.seq }
    case 'iteration.limited':
      return limited(state, event)
    case 'agent.switched':
      return switched(state, event)
    case 'task.skipped':
      return { ...state, skipped: [...new Set([...(state.skipped ?? []), event.task])], seq: event.seq }
    case 'guidance':
      return { ...state, guidance: [...(state.guidance ?? []), event.text].slice(-GUIDANCE), seq: event.seq }
    case 'accepted':
      return accepted(state, event)
    case 'iteration.decided':
      return decided(state, event)
    case 'phase.changed':
      return phaseChanged(state, event)
    case 'breaker.reset':
      return {
        ...state,
        counters: { ...state.counters, breaker: resetTo(state.counters.breaker, event.to) },
        seq: event.seq,
      }
    case 'run.ended':
      return ended(state, event)
    case 'tree.verified':
      return verified(state, event)
    case 'config.changed':
      return { ...withoutBase(state), config: event.config, seq: event.seq }
    case 'task.config':
      return { ...state, base: state.base ?? state.config ?? event.config, config: event.config, seq: event.seq }
    default:
      return { ...state, seq: event.seq }
  }
}

function started(state: State, event: Of<'run.started'>): State {
  const config = event.config ?? state.config
  const counters: CountersAfter = {
    ...present(event, 'phase'),
    phaseIteration: 0,
    streaks: {},
    breaker: breakerOfNewRun(state, config),
    total: NOTHING_SPENT,
    trees: [],
  }
  return {
    run: event.run,
    ...(config === undefined ? {} : { config }),
    startedAt: event.at,
    // The provider counts calls, and so `starts`, over all runs.
    ...present(state, 'code', 'verified', 'unverified', 'starts'),
    ...present(event, 'task', 'title', 'baseline', 'baselineId', 'sandbox', 'code', 'configFile', 'remote'),
    iterations: 0,
    counters,
    ...acceptedBefore(state, event),
    ...slowestAfter(state, event.baseline),
    phasesDone: [],
    recent: [],
    totals: { ...state.totals, runs: state.totals.runs + 1 },
    seq: event.seq,
  }
}

/** The named values, as far as there are any. */
const present = <T extends object, Name extends keyof T>(from: T, ...names: readonly Name[]): Pick<T, Name> =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as Pick<T, Name>

function iterationStarted(state: State, event: Of<'iteration.started'>): State {
  const { iteration, at, attempt, seq } = event
  const { steps: _steps, ...rest } = withoutRunning(state)
  const before = state.starts ?? []
  // The list is sorted, so usually nothing has to be dropped.
  const within = at - (before[0] ?? at) < HOUR ? before : before.filter((start) => at - start < HOUR)
  const starts = [...within.slice(1 - MAX_STARTS), at]
  return {
    ...rest,
    running: { iteration, at, ...present(event, 'attempt', 'task') },
    attempt: { iteration, n: attempt ?? 1 },
    // Only loops start iterations; `check` makes no calls.
    starts,
    seq,
  }
}

function agentStarted(state: State, { pid, id, since, seq }: Of<'agent.started'>): State {
  if (state.running === undefined) return { ...state, seq }
  const agent = { pid, id, ...(since === undefined ? {} : { since }) }
  return { ...state, running: { ...state.running, agent }, seq }
}

/** The iteration doesn't count, but its cost does. */
function limited(state: State, { kind, until, spent, seq, at, since: stated }: Of<'iteration.limited'>): State {
  const { steps: _steps, running: _running, ...rest } = state
  const { previous } = state
  const session = previous?.session && withUsage(previous.session, spent)
  const { total } = state.counters
  const sum = { ms: total.ms + spent.ms, tokens: total.tokens + spent.tokens, usd: total.usd + spent.usd }
  const n = (state.limited?.kind === kind ? state.limited.n : 0) + 1
  const since = stated ?? state.limited?.since ?? at
  return {
    ...rest,
    counters: { ...state.counters, total: sum },
    limited: { n, until, kind, since },
    ...(session && { previous: { ...previous, session } }),
    seq,
  }
}

function switched(state: State, { to, why, until, at, seq }: Of<'agent.switched'>): State {
  const { fallback: _fallback, limited: _limited, previous, ...rest } = state
  const now = to === 'first' ? {} : { fallback: { why, since: at, ...(until !== undefined && { until }) } }
  if (previous === undefined) return { ...rest, ...now, seq }
  const { session: _session, ...kept } = previous
  return { ...rest, ...now, previous: kept, seq }
}

function decided(state: State, event: Of<'iteration.decided'>): State {
  const { iteration, at, verdict, observation, after } = event
  const entry = { iteration, at, action: verdict.action, rule: verdict.rule, reason: verdict.reason }
  const { totals } = state
  const opened = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  const { steps: _steps, limited: _limited, unverified: before, ...rest } = withoutRunning(state)
  const unverified = unverifiedAfter(before, event)
  return {
    ...rest,
    ...(unverified === undefined ? {} : { unverified }),
    iterations: iteration,
    counters: after,
    previous: observation,
    last: { iteration, at, verdict },
    recent: [...state.recent.slice(1 - RECENT), entry],
    ...slowestAfter(state, observation.evidence),
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

/** Only another look at the files replaces an earlier one. A user who forces the end accepts what is there. */
function unverifiedAfter(before: State['unverified'], { observation, verdict, at }: Of<'iteration.decided'>) {
  if (verdict.action === 'stop' && verdict.ending === 'forced') return undefined
  // Older or edited journals may lack the evidence.
  const tampering = observation.evidence?.tampering
  if (tampering === undefined || tampering.answer === 'unknown') return before
  const { unverified: files, tree } = tampering
  // Evidence that a caller passed in has no tree, and verifies nothing.
  const isVerified = verdict.action === 'stop' && ['verified', 'passed'].includes(verdict.ending) && tree !== ''
  return files === undefined || isVerified ? undefined : { files, at }
}

function verified(state: State, { baselineId, folder, at, seq }: Of<'tree.verified'>): State {
  const { unverified: _unverified, ...rest } = state
  return { ...rest, verified: { baselineId, folder, at }, seq }
}

/** Time limits follow the slowest run of a check. A check that timed out counts with its time limit. */
function slowestAfter({ slowest }: State, evidence: EvidenceSet = {}): Pick<State, 'slowest'> {
  const slower = Object.entries(evidence).flatMap(([check, { ms, counts }]) => {
    const once = Math.round(ms / Math.max(1, counts?.runs ?? 1))
    return once > (slowest?.[check] ?? 0) ? [[check, once] as const] : []
  })
  if (slower.length > 0) return { slowest: { ...slowest, ...Object.fromEntries(slower) } }
  return slowest === undefined ? {} : { slowest }
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
  const more = present(event, 'cause', 'waitMinutes')
  return { ...withoutRunning(state), ended: { outcome, ending, reason, at, ...more }, seq: event.seq }
}

/** A decision or a start after an ending means that an interrupted run was resumed. */
function withoutRunning(state: State): State {
  if (state.ended === undefined && state.running === undefined) return state
  const { ended: _ended, running: _running, ...rest } = state
  return rest
}

/** Keeps the running iteration: it resumes where it stopped. */
function resumed(state: State, { again, seq }: Of<'run.resumed'>): State {
  const { ended: _ended, ...rest } = state
  const zero = { streaks: {}, trees: [], breaker: breakerOfNewRun(state, state.config) }
  return { ...rest, counters: again ? { ...state.counters, ...zero } : state.counters, seq }
}

const resetTo = (breaker: Breaker, to: 'half-open' | undefined): Breaker =>
  to === undefined ? closedBreaker(breaker) : { ...breaker, state: to }

function withoutBase(state: State): State {
  const { base: _base, ...rest } = state
  return rest
}

/** A new run starts with a closed breaker, unless its settings and those of the run before let an open one last. */
export function breakerOfNewRun({ config: before, counters }: State, config: State['config']): Breaker {
  const closes = config?.breaker.autoReset || before?.breaker.autoReset
  return closes ? closedBreaker(counters.breaker) : counters.breaker
}

function closedBreaker(breaker: Breaker): Breaker {
  return { ...CLOSED, opens: breaker.opens }
}
