import type { DecidedIteration } from '../policy/decide.ts'
import { AGENT_RULES } from '../policy/rules/failing.ts'
import type { Observation, Verdict } from '../types.ts'
import type { Decided, EventInput } from './events.ts'

/** The events of one decided iteration, in order. */
export function eventInputsOf(observation: Observation, decided: DecidedIteration): readonly EventInput[] {
  const { facts, verdict, after, transitions } = decided
  const { iteration } = facts
  const events: EventInput[] = transitions.map((transition) => ({ type: 'breaker.changed', iteration, ...transition }))
  events.push({ type: 'iteration.decided', iteration, observation, verdict: withoutTrace(verdict), after })
  if (verdict.action === 'advance') {
    events.push({
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
    const cause = outcome === 'stuck' || AGENT_RULES.includes(verdict.rule) ? observation.failed?.cause : undefined
    events.push({ type: 'run.ended', outcome, ending, reason, iteration, ...(cause === undefined ? {} : { cause }) })
  }
  return events
}

export function withoutTrace(verdict: Verdict): Decided {
  const { trace: _trace, ...rest } = verdict
  return rest
}
