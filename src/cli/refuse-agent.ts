import type { State } from '../core/journal/events.ts'
import { insideAgent } from '../hooks/inside-agent.ts'
import { RUN_MARK } from '../inbox/attempt.ts'
import { agentMembers } from '../loop/agent/leftovers.ts'
import { ancestryOf, processLookup } from '../system/process-ancestry.ts'
import { workspaceMark } from '../system/process-tag.ts'
import { membersOf } from '../system/processes.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'

/**
 * The agent and the checks of an unfinished run may not write to that run's journal. While the loop lives, its lock keeps them out. But
 * they can end the loop and then request a decision with their own commands, settings or evidence.
 */
export function refuseOwnAgent(command: string, dir: string, state: State, io: Io): void {
  const { run, ended } = state
  if (run === undefined || ended !== undefined) return
  if (io.env[RUN_MARK] !== run && !isMember(dir, state)) return
  throw new InputError(
    `Refused: the agent of the unfinished run ${run} can't use exitgate ${command}, nor can its tests. Its loop decides, or you resume it.`,
  )
}

/**
 * Whether this process comes from the run's agent or checks. If they have emptied its environment, its ancestry still shows it. The mark
 * also finds checks, and an agent that ended the loop before its pid was recorded.
 */
export function isMember(dir: string, { running }: State): boolean {
  if (running === undefined) return false
  // `membersOf` leaves out this process, so look at its parents.
  const parents = ancestryOf(process.ppid, processLookup([])).map(({ pid }) => pid)
  const byAgent = running.agent === undefined ? [] : agentMembers(running.agent)
  return [...byAgent, ...membersOf({ pid: 0, id: workspaceMark(dir) })].some(({ pid }) => parents.includes(pid))
}

/** Refuses a command with which an agent could complete its own run. */
export function userOnly(command: string, io: Io): void {
  const why = insideAgent(io.env, io.pid)
  if (why === undefined) return
  throw new InputError(`Refused: an agent can't use exitgate ${command} (${why}). Run it in your own terminal.`)
}
