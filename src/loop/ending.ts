import type { FailureCause } from '../core/failure-cause.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import type { RunEnd } from '../core/run.ts'
import { lastWords } from '../core/signals/last-words.ts'
import type { Ending, Outcome } from '../core/types.ts'

type Ended = Extract<EventInput, { type: 'run.ended' }>

/** The event of an end that no iteration decided. */
export function endEvent(state: State, outcome: Outcome, ending: Ending, reason: string, cause?: FailureCause): Ended {
  const more = cause === undefined ? {} : { cause }
  return { type: 'run.ended', outcome, ending, reason, iteration: state.iterations, ...more }
}

export function breakerEnd(state: State): Ended {
  const why = state.counters.breaker.reason ?? 'no reason was recorded'
  return endEvent(state, 'stuck', 'breaker', `Circuit breaker is OPEN: ${why}`)
}

/** The end of the run in this state. */
export function endOf(state: State): RunEnd {
  const { ended, last, counters, run = '', startedAt = 0 } = state
  if (ended === undefined) throw new Error(`the run ${run} has not ended`)
  const task = state.previous?.task ?? state.task
  const decidedByIt = last?.at === ended.at && last.verdict.action === 'stop' && last.verdict.ending === ended.ending
  return {
    outcome: ended.outcome,
    ending: ended.ending,
    rule: decidedByIt ? last.verdict.rule : ended.ending,
    reason: ended.reason,
    ...(ended.cause === undefined ? {} : { cause: ended.cause }),
    ...(ended.waitMinutes === undefined ? {} : { waitMinutes: ended.waitMinutes }),
    run,
    preset: state.config?.preset ?? 'default',
    iterations: state.iterations,
    startedAt,
    endedAt: ended.at,
    total: counters.total,
    ...(task === undefined ? {} : { task }),
    ...(counters.phase === undefined ? {} : { phase: counters.phase }),
    // An interrupted iteration was not checked, so it can't miss anything.
    missing: ended.ending === 'verified' || ended.ending === 'interrupt' ? [] : (last?.verdict.missing ?? []),
    ...lastWords(state.previous),
    killed: false,
  }
}

/** Interrupted while the baseline was taken: there is no run. */
export const endBeforeStart = (): RunEnd => ({
  ...NO_RUN,
  ...{ outcome: 'interrupted', ending: 'interrupt', rule: 'interrupted' },
  reason: 'interrupted before the first iteration; no run was started',
})

/** The breaker that an earlier run left open stays open. */
export const endByOpenBreaker = (state: State, preset: string): RunEnd => ({
  ...NO_RUN,
  ...{ outcome: 'stuck', ending: 'breaker', rule: 'breaker', preset },
  reason: `${breakerEnd(state).reason}; no run was started`,
})

const NO_RUN = {
  run: '',
  preset: '',
  iterations: 0,
  startedAt: 0,
  endedAt: 0,
  total: { ms: 0, tokens: 0, usd: 0 },
  missing: [],
  killed: false,
} as const
