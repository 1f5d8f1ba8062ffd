import type { DecidedIteration } from '../policy/decide.ts'
import type { Observation, Verdict } from '../types.ts'
import type { Decided, EventInput } from './events.ts'

/** What one decided iteration writes into the journal, in the order in which it happened. */
export function eventInputsOf(observation: Observation, decided: DecidedIteration): readonly EventInput[] {
  const { facts, verdict, after, transitions } = decided
  const { iteration } = facts
  const happenings: EventInput[] = transitions.map((transition) => ({
    type: 'breaker.changed',
    iteration,
    ...transition,
  }))
  happenings.push({ type: 'iteration.decided', iteration, observation, verdict: withoutTrace(verdict), after })
  if (verdict.action === 'advance') {
    happenings.push({
      type: 'phase.changed',
      ...(facts.phase === undefined ? {} : { from: facts.phase }),
      iterations: facts.phaseIteration,
      to: verdict.phase,
      forced: facts.forced !== undefined,
      ...(facts.forced === undefined ? {} : { by: facts.forced.by, reason: facts.forced.reason }),
    })
  }
  if (verdict.action === 'stop') {
    const { outcome, ending, reason } = verdict
    happenings.push({ type: 'run.ended', outcome, ending, reason, iteration })
  }
  return happenings
}

export function withoutTrace(verdict: Verdict): Decided {
  const { trace: _trace, ...rest } = verdict
  return rest
}
