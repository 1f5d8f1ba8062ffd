import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { MARKER } from './processes.ts'

const own = new AsyncLocalStorage<string>()

/** The ids for processes started now: those of the current task, or else those of this process. */
export const enclosingIds = (): string | undefined => own.getStore() ?? process.env[MARKER]

/** Whether the current task has its own id, separate from other tasks in this process. */
export const hasOwnTag = (): boolean => own.getStore() !== undefined

/** Runs a task under an additional id, so that several runs in one process can each recognise their own processes. */
export function runTagged<T>(id: string, work: () => T): T {
  const outer = enclosingIds()
  return own.run(outer === undefined ? id : `${outer}.${id}`, work)
}

/** The mark of all processes of a run. Only one run uses a state folder at a time, so other processes with its mark belong to a dead run. */
export const workspaceMark = (dir: string): string => createHash('sha256').update(dir).digest('hex').slice(0, 16)
