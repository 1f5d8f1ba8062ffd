import type { State } from '../core/journal/events.ts'
import { insideAgent } from '../hooks/inside-agent.ts'
import { RUN_MARK } from '../inbox/attempt.ts'
import { ancestryOf, processLookup } from '../system/process-ancestry.ts'
import { membersOf } from '../system/processes.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'

/**
 * The agent of an unfinished run may not write into that run's journal. While the loop lives its lock keeps the agent out; but the
 * agent can end the loop, and then ask for a decision with commands, settings or evidence of its own choice.
 */
export function refuseOwnAgent(command: string, { run, ended, running }: State, io: Io): void {
  if (run === undefined || ended !== undefined) return
  if (io.env[RUN_MARK] !== run && !isMember(running?.agent)) return
  throw new InputError(
    `exitgate ${command} was asked by the agent of run ${run}, which is not finished: its loop decides, or a person does who resumes it`,
  )
}

/** The agent may have emptied its environment; then where the process comes from tells. */
export function isMember(agent: NonNullable<State['running']>['agent']): boolean {
  if (agent === undefined) return false
  const members = new Set(membersOf(agent).map(({ pid }) => pid))
  // This process is left out there, so its parents speak for it.
  return ancestryOf(process.ppid, processLookup([])).some(({ pid }) => members.has(pid))
}

/** Ends a command that an agent has no business with: it would open its own gate. */
export function peopleOnly(command: string, io: Io): void {
  const why = insideAgent(io.env, io.pid)
  if (why === undefined) return
  throw new InputError(
    `exitgate ${command} is for people, and ${why}, as for the commands of an agent; use a terminal of your own`,
  )
}
