import type { State } from '../core/journal/events.ts'
import { insideAgent } from '../hooks/inside-agent.ts'
import { JournalError } from '../journal/errors.ts'
import { readJournal } from '../journal/read.ts'
import { askRun } from '../loop/control/ask.ts'
import { RUN_MARK } from '../system/process-ancestry.ts'
import { MARKER } from '../system/processes.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'
import { isMember } from './refuse-own-agent.ts'
import { noteRefusal } from './without-run.ts'

interface ResetAsked {
  /** The command as it was typed. */
  readonly name: string
  readonly by: string
  readonly reason: string
}

/** A reset takes away what keeps the agent in: its journal, its open breaker, the lock of its loop. So no agent gets one. */
export async function refuseReset(dir: string, { name, by, reason }: ResetAsked, io: Io): Promise<void> {
  const marked = io.env[RUN_MARK] || io.env[MARKER] || insideAgent(io.env, io.pid)
  if (!marked && !isMember(stateOf(dir)?.running?.agent)) return
  const why = marked
    ? 'the environment says that this is an agent or a check of a run'
    : 'the process that asks belongs to the agent of the run'
  // A loop that runs has the journal to itself and writes it down: to it this is somebody inside who wants the breaker closed.
  const asked = { kind: 'reset-breaker' as const, by, reason: `exitgate ${name}: ${reason}` }
  const heard = await askRun(dir, asked, { inside: marked || 'the agent' })
  if (heard === undefined) noted(() => noteRefusal(dir, { kind: name, by, reason }, io.now()))
  throw new InputError(`refused: exitgate ${name} is for people, and ${why}`)
}

/** A damaged journal is what a reset is for. */
function stateOf(dir: string): State | undefined {
  try {
    return readJournal(dir).state
  } catch (error) {
    if (error instanceof JournalError) return undefined
    throw error
  }
}

/** Refused is refused, whether it could be written down or not. */
function noted(note: () => void): void {
  try {
    note()
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
  }
}
