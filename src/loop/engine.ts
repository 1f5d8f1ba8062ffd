import type { Control } from '../core/run.ts'

/**
 * The two operations the loop is built on. The local engine stores the agent's results in the journal; a distributed one stores
 * every result in its database. The code between two operations gives the same result when it runs again.
 */
export interface Engine {
  /** Runs a piece of work, or returns its stored result if it finished before a crash. */
  step<T>(id: StepId, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** The controls sent since the last poll, oldest first. */
  poll(topic: 'control'): Promise<readonly Control[]>
}

/** Identifies one step of a run. A turn is one pass of the loop: an iteration, a wait, or a decision without an agent. */
export type StepId =
  | { readonly kind: 'begin' }
  | { readonly kind: 'ready' | 'wait' | 'limit' | 'decide' | 'menu'; readonly turn: number }
  | { readonly kind: 'evidence'; readonly turn: number; readonly again?: true }
  | { readonly kind: 'agent'; readonly iteration: number; readonly attempt: number }
  | {
      readonly kind: 'record'
      readonly what: 'control' | 'task' | 'start' | 'limited' | 'chosen' | 'switched'
      readonly turn: number
      readonly after?: 'agent' | 'evidence'
    }
  | { readonly kind: 'record'; readonly what: 'the end' }

export type StepKind = StepId['kind']

/** The name of a step in journals and databases. Runs in progress depend on it: never change a name. */
export function stepName(id: StepId): string {
  switch (id.kind) {
    case 'begin':
      return id.kind
    case 'agent':
      return `agent ${id.iteration}.${id.attempt}`
    case 'record':
      if (id.what === 'the end') return 'record the end'
      return `record ${id.what} ${id.turn}${id.after === undefined ? '' : ` after the ${id.after}`}`
    case 'evidence':
      return `evidence ${id.turn}${id.again ? ' again' : ''}`
    default:
      return `${id.kind} ${id.turn}`
  }
}

/** Whether a control ends the running step. A wait always ends; an agent may finish unless the user wants it stopped now. */
export function endsStep({ kind }: Control, step: StepKind, now: boolean): boolean {
  if (now || step === 'wait') return true
  // Before the run has started, nothing can be forced or skipped; such a control waits.
  if (step === 'begin') return kind === 'interrupt'
  if (kind === 'force' || kind === 'skip') return true
  return kind === 'interrupt' && step !== 'agent'
}
