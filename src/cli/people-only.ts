import { insideAgent } from '../hooks/inside-agent.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'

/** Ends a command that an agent has no business with: it would open its own gate. */
export function peopleOnly(command: string, io: Io): void {
  const why = insideAgent(io.env, io.pid)
  if (why === undefined) return
  throw new InputError(
    `exitgate ${command} is for people, and ${why}, as for the commands of an agent; use a terminal of your own`,
  )
}
