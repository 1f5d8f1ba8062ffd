import { beforeOf } from '../core/journal/before.ts'
import { eventInputsOf } from '../core/journal/event-inputs.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { emptyState, reduce } from '../core/journal/reduce.ts'
import { type DecidedIteration, decideIteration } from '../core/policy/decide.ts'
import type { Observation, Policy } from '../core/types.ts'
import type { Journal } from './log.ts'

/** The parts of a journal that a decision needs: a file, or `memoryJournal` to record nothing. */
export type DecisionJournal = Pick<Journal, 'state' | 'lastAt' | 'append'>

export interface DecideOptions {
  readonly policy: Policy
  readonly now: number
  /** Events recorded before the decision, such as the start of the run. The decision takes them into account. */
  readonly first?: readonly EventInput[]
  /** Events that follow from the decision. If this throws, nothing is recorded. */
  readonly eventsAfter?: (decided: DecidedIteration) => readonly EventInput[]
}

/**
 * Decides an iteration and records the decision on disk before returning. All events are one append, so a crash leaves all of them
 * or none. Throws if the decision can't be recorded.
 */
export function decideAndRecord(
  journal: DecisionJournal,
  observation: Observation,
  { policy, now, first = [], eventsAfter }: DecideOptions,
): DecidedIteration {
  // Time in the journal never goes backwards, so decide with the time that will be recorded.
  const at = Math.max(now, journal.lastAt)
  const decided = decideIteration(beforeOf(fold(journal.state, first, at)), observation, policy, at)
  const more = eventsAfter?.(decided) ?? []
  journal.append([...first, ...eventInputsOf(observation, decided), ...more], at)
  return decided
}

/** A journal in memory: decisions are the same but not stored. */
export function memoryJournal(): DecisionJournal {
  let state = emptyState()
  return {
    get state() {
      return state
    },
    lastAt: 0,
    append(events, at) {
      state = fold(state, events, at)
      return []
    },
  }
}

function fold(state: State, events: readonly EventInput[], at: number): State {
  return events.map((event, i) => ({ v: 1, seq: state.seq + 1 + i, at, prev: '', ...event })).reduce(reduce, state)
}
