import { insideAgent } from '../../hooks/inside-agent.ts'
import { JournalError } from '../../journal/errors.ts'
import { readJournal } from '../../journal/read.ts'
import { backlogFolder, readRecord } from '../../parallel/record.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { isMember } from '../refuse-agent.ts'
import { noteRefusal } from '../without-run.ts'

/** Nobody judges their own work: an agent may neither label a run nor change what is learned from labels. Asking is written down. */
export function refuseAgent(command: string, dir: string, io: Io): void {
  const why = insideAgent(io.env, io.pid) ?? ofTheRun(dir)
  if (why === undefined) return
  try {
    noteRefusal(dir, { kind: command, by: 'an agent', reason: why }, io.now())
  } catch (error) {
    // A loop that runs has the journal to itself; refused is refused all the same.
    if (!(error instanceof JournalError)) throw error
  }
  throw new InputError(`exitgate ${command} is for people, and ${why}; use a terminal of your own`)
}

/** The agents of tasks work in folders of their own, and have no more say here. */
function ofTheRun(dir: string): string | undefined {
  const tasks = Object.values(readRecord(backlogFolder(dir))?.tasks ?? {})
  const asks = [dir, ...tasks.map((task) => task.dir)].some((each) => isMember(readJournal(each).state.running?.agent))
  return asks ? 'the process that asks belongs to the agent of the run' : undefined
}
