import type { State } from '../core/journal/events.ts'
import type { StepKind } from '../loop/engine.ts'
import { FleetError } from './errors.ts'
import type { Played } from './journal-replay.ts'

/**
 * What is kept of a step. Whatever stands in the journal is kept as the number of its line: a state is as long as a page, and a
 * hundred steps bring one.
 */
export interface Kept {
  readonly seq?: number
  readonly value?: unknown
}

/** Steps whose result is in the journal. */
const JOURNALED: ReadonlySet<StepKind> = new Set(['begin', 'record', 'agent', 'decide'])

/** The result as it goes to the database, after everything that belongs to it is in the journal up to `state`. */
export function keep(kind: StepKind, result: unknown, { seq }: State): Kept {
  if (result === undefined) return {}
  return JOURNALED.has(kind) ? { seq } : { value: result }
}

/** The result as the step gave it, for a run that is replayed. The name is the one under which the step is kept. */
export function expand(kind: StepKind, name: string, { seq, value }: Kept, played: Played): unknown {
  if (seq === undefined) return value
  const state = played.stateAt(seq)
  switch (kind) {
    case 'begin':
      return { state }
    case 'agent':
      return state.steps?.[name]
    case 'decide': {
      const again = played.decided
      if (again === undefined) throw new FleetError(`the journal holds no decision for the step "${name}"`, 70)
      return { verdict: { ...again.decision.verdict, ...again.event.verdict }, state }
    }
    default:
      return state
  }
}
