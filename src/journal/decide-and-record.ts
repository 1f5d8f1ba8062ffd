import { beforeOf } from '../core/journal/before.ts'
import { eventInputsOf } from '../core/journal/event-inputs.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { emptyState, reduce } from '../core/journal/reduce.ts'
import { type DecidedIteration, decideIteration } from '../core/policy/decide.ts'
import type { Observation, Policy } from '../core/types.ts'
import type { Journal } from './log.ts'

/** What a decision needs of a journal: a file, or `memoryJournal` if nothing is to be recorded. */
export type DecisionJournal = Pick<Journal, 'state' | 'lastAt' | 'append'>

export interface DecideOptions {
  readonly policy: Policy
  readonly now: number
  /** Events that belong before the decision, such as the start of the run: the decision takes them into account. */
  readonly first?: readonly EventInput[]
  /** Further events that follow from the decision. If it throws, nothing is recorded. */
  readonly eventsAfter?: (decided: DecidedIteration) => readonly EventInput[]
}

/**
 * Decides an iteration and records the decision; when this returns, it is on the disk. All events go into one append, so a crash leaves
 * either all of them or none, and a decision that cannot be recorded is not a decision: this throws.
 */
export function decideAndRecord(
  journal: DecisionJournal,
  observation: Observation,
  { policy, now, first = [], eventsAfter }: DecideOptions,
): DecidedIteration {
  // The journal never goes back in time, so the decision is made at the time that will be recorded.
  const at = Math.max(now, journal.lastAt)
  const decided = decideIteration(beforeOf(fold(journal.state, first, at)), observation, policy, at)
  const more = eventsAfter?.(decided) ?? []
  journal.append([...first, ...eventInputsOf(observation, decided), ...more], at)
  return decided
}

/** A journal that is never written: decisions are made the same way, and lost. */
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
