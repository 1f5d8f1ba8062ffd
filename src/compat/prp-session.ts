import { breakerName, isJson, isoTime, type Json, listIn, oneLine, passed, readJson, taskOf } from './format.ts'
import { iterationOf, overallProgress, PHASES, type PhaseValues, phaseOf, phaseValues } from './prp-values.ts'
import type { CompatInput } from './types.ts'

const HISTORY = 200
const ERRORS = 50

/** The values an earlier decision of the same session wrote; another session's file is not continued. */
function sameSession(input: CompatInput, path: string): Json {
  const before = readJson(input, path)
  return before.session_id === sessionOf(input) ? before : {}
}
const sessionOf = ({ state }: CompatInput): string => state.run ?? ''
/** The name of the task, or else the file that describes the work. */
const prpFile = (input: CompatInput): string =>
  taskOf(input) || oneLine(input.config.run.prompt ?? input.config.plan ?? '')
const startOf = ({ state, at }: CompatInput): string => isoTime(state.startedAt ?? at)

/** Completed phases. Work that QA sends back has to pass the later ones again. */
function completedPhases(input: CompatInput, current: string): string[] {
  const ended = input.verdict.action === 'stop' && passed(input) ? [current] : []
  const done = input.state.phasesDone.map(({ phase }) => phase)
  return PHASES.filter((phase) => ended.includes(phase) || (done.includes(phase) && isBefore(phase, current)))
}
const isBefore = (phase: string, other: string) => PHASES.indexOf(phase) < PHASES.indexOf(other)

function place(input: CompatInput) {
  const { state, verdict } = input
  const moved = verdict.action === 'advance'
  const phase = moved ? verdict.phase : phaseOf(input)
  return {
    current_phase: phase,
    current_iteration: moved ? 0 : iterationOf(input),
    phases_completed: completedPhases(input, phase),
    calls: state.iterations,
  }
}

/** circuit-breaker.json */
export function breakerJson(input: CompatInput, path: string): Json {
  const { state, transitions, at } = input
  const { breaker } = state.counters
  const before = readJson(input, path)
  const progress = isJson(before.last_progress_metric) ? before.last_progress_metric : {}
  const changes = transitions.map(({ from, to, reason }) => ({
    timestamp: isoTime(at),
    event: 'state_change',
    from_state: breakerName(from),
    to_state: breakerName(to),
    reason: oneLine(reason),
  }))
  return {
    state: breakerName(breaker.state),
    no_progress_count: breaker.noProgress,
    same_error_count: breaker.sameError,
    last_progress_metric: breaker.noProgress > 0 ? progress : { ...progress, [phaseOf(input)]: phaseValues(input) },
    last_error_hash: breaker.errorKey ?? null,
    opened_at: breaker.openedAt === undefined ? null : isoTime(breaker.openedAt),
    open_reason: breaker.state === 'open' ? oneLine(breaker.reason ?? '') : null,
    history: [...listIn(before.history), ...changes].slice(-HISTORY),
  }
}

/** When the decided phase began: at the end of the previous one, or with the run. */
function phaseStart(input: CompatInput): string {
  const before = input.state.phasesDone.at(input.verdict.action === 'advance' ? -2 : -1)
  return before === undefined ? startOf(input) : isoTime(before.at)
}

function phaseEntry(input: CompatInput, before: Json, values: PhaseValues): Json {
  const time = isoTime(input.at)
  const iteration = iterationOf(input)
  const { tests_passing, tests_failing } = values
  const step = { iteration, timestamp: time, ...(tests_passing !== undefined && { tests_passing, tests_failing }) }
  return {
    started_at: before.started_at ?? phaseStart(input),
    completed_at: passed(input) ? time : null,
    iterations: iteration,
    [passed(input) ? 'final_metrics' : 'current_metrics']: values,
    history: [...listIn(before.history), step].slice(-HISTORY),
  }
}

/** metrics.json */
export function metricsJson(input: CompatInput, path: string): Json {
  const before = sameSession(input, path)
  const earlier = isJson(before.phases) ? before.phases : {}
  const phase = phaseOf(input)
  const own = isJson(earlier[phase]) ? earlier[phase] : {}
  const unbegun = Object.fromEntries(['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'].map((name) => [name, null]))
  const where = place(input)
  return {
    session_id: sessionOf(input),
    prp_file: prpFile(input),
    started_at: startOf(input),
    current_phase: where.current_phase,
    // QA keeps its weight even if it is not required; a finished session counts as 100 %.
    progress_percent: input.verdict.action === 'stop' && passed(input) ? 100 : overallProgress(where),
    phases: { ...unbegun, ...earlier, [phase]: phaseEntry(input, own, phaseValues(input)) },
  }
}

function errors(input: CompatInput, before: readonly unknown[]): readonly unknown[] {
  const { observation, at } = input
  const { error } = observation.signals
  if (observation.failed === undefined && error === undefined) return before
  const entry = {
    timestamp: isoTime(at),
    phase: phaseOf(input),
    iteration: iterationOf(input),
    error: oneLine(observation.failed?.reason ?? 'the agent ended with an error').slice(0, 500),
    hash: error ?? null,
  }
  return [...before, entry].slice(-ERRORS)
}

/** loop-state.json */
export function loopStateJson(input: CompatInput, path: string): Json {
  const { verdict, at } = input
  const before = sameSession(input, path)
  const where = place(input)
  const phase = phaseOf(input)
  const history = isJson(before.phase_history) ? before.phase_history : {}
  const own = isJson(history[phase]) ? history[phase] : {}
  const reason = oneLine(verdict.reason)
  const outcome = verdict.action === 'stop' ? verdict.outcome : undefined
  const paused = outcome === 'interrupted'
  const halted = outcome === 'stuck' || outcome === 'aborted'
  return {
    session_id: sessionOf(input),
    prp_file: prpFile(input),
    started_at: startOf(input),
    current_phase: where.current_phase,
    current_iteration: where.current_iteration,
    last_activity: isoTime(at),
    status: outcome === 'completed' ? 'completed' : paused ? 'paused' : halted ? 'halted' : 'running',
    halt_reason: halted ? reason : null,
    phases_completed: where.phases_completed,
    phase_history: {
      ...history,
      [phase]: {
        started_at: own.started_at ?? phaseStart(input),
        completed_at: passed(input) ? isoTime(at) : null,
        iterations: iterationOf(input),
        ...(passed(input) && {
          exit_reason: input.observation.forced === undefined ? 'Dual-Gate satisfied' : 'Forced',
        }),
      },
    },
    error_history: errors(input, listIn(before.error_history)),
    total_agent_calls: where.calls,
    ...(paused && { pause_reason: 'User interrupt', paused_at: isoTime(at) }),
  }
}
