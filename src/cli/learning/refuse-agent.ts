import { insideAgent } from '../../hooks/inside-agent.ts'
import { JournalError } from '../../journal/errors.ts'
import { readJournal } from '../../journal/read.ts'
import { backlogFolder, readRecord } from '../../parallel/record.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { isMember } from '../refuse-agent.ts'
import { noteRefusal } from '../without-run.ts'

/** An agent may not judge its own work: it can neither label runs nor change what is learned from labels. The attempt is recorded. */
export function refuseAgent(command: string, dir: string, io: Io): void {
  const why = insideAgent(io.env, io.pid) ?? agentOfRun(dir)
  if (why === undefined) return
  try {
    noteRefusal(dir, { kind: command, by: 'an agent', reason: why }, io.now())
  } catch (error) {
    // Only a running loop may write its journal. The refusal counts even if it can't be recorded.
    if (!(error instanceof JournalError)) throw error
  }
  throw new InputError(`Refused: an agent can't use exitgate ${command} (${why}). Run it in your own terminal.`)
}

/** The agents of a list of tasks work in folders of their own, but are refused here too. */
function agentOfRun(dir: string): string | undefined {
  const tasks = Object.values(readRecord(backlogFolder(dir))?.tasks ?? {})
  const isAgent = [dir, ...tasks.map((task) => task.dir)].some((each) => isMember(each, readJournal(each).state))
  return isAgent ? "this process belongs to the run's own agent" : undefined
}
