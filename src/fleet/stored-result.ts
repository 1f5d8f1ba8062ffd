import type { State } from '../core/journal/events.ts'
import type { StepKind } from '../loop/engine.ts'
import { FleetError } from './errors.ts'
import type { JournalReplay } from './journal-replay.ts'

/**
 * A step's result in the database. What is in the journal is stored as a line number, because states are long and many steps return
 * one.
 */
export interface StoredResult {
  readonly seq?: number
  readonly value?: unknown
}

/** Steps whose result is in the journal. */
const JOURNALED: ReadonlySet<StepKind> = new Set(['begin', 'record', 'agent', 'decide'])

/** The stored form of a result whose data is in the journal up to `state`. */
export function toStored(kind: StepKind, result: unknown, { seq }: State): StoredResult {
  if (result === undefined) return {}
  return JOURNALED.has(kind) ? { seq } : { value: result }
}

/** The original result of a step, for a replay. `name` is the step's stored name. */
export function fromStored(kind: StepKind, name: string, { seq, value }: StoredResult, replay: JournalReplay): unknown {
  if (seq === undefined) return value
  const state = replay.stateAt(seq)
  switch (kind) {
    case 'begin':
      return { state }
    case 'agent':
      return state.steps?.[name]
    case 'decide': {
      const again = replay.lastDecision
      if (again === undefined) throw new FleetError(`The journal has no decision for the step "${name}"`, 70)
      return { verdict: { ...again.decision.verdict, ...again.event.verdict }, state }
    }
    default:
      return state
  }
}
