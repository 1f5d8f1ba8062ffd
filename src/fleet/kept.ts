import type { State } from '../core/journal/events.ts'
import { FleetError } from './errors.ts'
import type { Played } from './journal-replay.ts'

/**
 * What is kept of a step. Whatever stands in the journal is kept as the number of its line: a state is as long as a page, and a
 * hundred steps bring one.
 */
export interface Kept {
  readonly seq?: number
  readonly at?: number
  readonly value?: unknown
}

type Kind = 'begun' | 'state' | 'agent' | 'decided' | 'value'

function kindOf(name: string): Kind {
  if (name === 'begin') return 'begun'
  if (name.startsWith('record ')) return 'state'
  if (name.startsWith('agent ')) return 'agent'
  if (name.startsWith('decide ')) return 'decided'
  return 'value'
}

/** The result as it goes to the database, after everything that belongs to it is in the journal up to `state`. */
export function keep(name: string, result: unknown, { seq }: State): Kept {
  const kind = kindOf(name)
  if (kind === 'value' || result === undefined) return result === undefined ? {} : { value: result }
  return kind === 'begun' || kind === 'decided' ? { seq, at: timeOf(result) } : { seq }
}

/** The result as the step gave it, for a run that is played again. */
export function expand(name: string, { seq, at, value }: Kept, played: Played): unknown {
  if (seq === undefined) return value
  const state = played.stateAt(seq)
  switch (kindOf(name)) {
    case 'begun':
      return { state, at }
    case 'agent':
      return state.steps?.[name]
    case 'decided': {
      const again = played.decided
      if (again === undefined) throw new FleetError(`the journal holds no decision for the step "${name}"`, 70)
      return {
        verdict: { ...again.decision.verdict, ...again.event.verdict },
        transitions: again.decision.transitions,
        state,
        at,
      }
    }
    default:
      return state
  }
}

function timeOf(result: unknown): number {
  return typeof result === 'object' && result !== null && 'at' in result ? Number(result.at) : 0
}
