import { AsyncLocalStorage } from 'node:async_hooks'
import { MARKER } from './processes.ts'

const own = new AsyncLocalStorage<string>()

/** The ids under which whatever is started here and now runs: those of the work it belongs to, else those of this process. */
export const outerMarks = (): string | undefined => own.getStore() ?? process.env[MARKER]

/** Whether this is a piece of work with a mark of its own, beside others in the same process. */
export const isMarkedApart = (): boolean => own.getStore() !== undefined

/** Does the work under one more id. Several runs in one process must each recognise what they started, and nothing else. */
export function markedApart<T>(id: string, work: () => T): T {
  const outer = outerMarks()
  return own.run(outer === undefined ? id : `${outer}.${id}`, work)
}
