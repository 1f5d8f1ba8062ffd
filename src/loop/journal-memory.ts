import type { Journal } from '../journal/log.ts'
import type { Memory } from './engine-local.ts'

/** The journal as the engine's memory. Only what the agent did is kept: everything else can be asked again. */
export function memoryIn(journal: Journal, now: () => number): Memory {
  return {
    keeps: (name) => name.startsWith('agent '),
    kept: (name) => journal.state.steps?.[name],
    keep: (name, result) => void journal.append([{ type: 'step.done', name, result }], now()),
  }
}
