import type { State } from '../core/journal/events.ts'
import { insideAgent } from '../hooks/inside-agent.ts'
import { RUN_MARK } from '../inbox/attempt.ts'
import { ancestryOf, processLookup } from '../system/process-ancestry.ts'
import { membersOf } from '../system/processes.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'

/**
 * The agent of an unfinished run may not write to that run's journal. While the loop lives, its lock keeps the agent out. But the
 * agent can end the loop and then request a decision with its own commands, settings or evidence.
 */
export function refuseOwnAgent(command: string, { run, ended, running }: State, io: Io): void {
  if (run === undefined || ended !== undefined) return
  if (io.env[RUN_MARK] !== run && !isMember(running?.agent)) return
  throw new InputError(
    `Refused: the agent of the unfinished run ${run} can't use exitgate ${command}. Its loop decides, or you resume it.`,
  )
}

/** If the agent has emptied its environment, the ancestry of the process still shows it. */
export function isMember(agent: NonNullable<State['running']>['agent']): boolean {
  if (agent === undefined) return false
  const members = new Set(membersOf(agent).map(({ pid }) => pid))
  // `membersOf` leaves out this process, so look at its parents.
  return ancestryOf(process.ppid, processLookup([])).some(({ pid }) => members.has(pid))
}

/** Refuses a command with which an agent could complete its own run. */
export function userOnly(command: string, io: Io): void {
  const why = insideAgent(io.env, io.pid)
  if (why === undefined) return
  throw new InputError(`Refused: an agent can't use exitgate ${command} (${why}). Run it in your own terminal.`)
}
