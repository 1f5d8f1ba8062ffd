import type { State } from '../../core/journal/events.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { RUN_MARK } from '../../inbox/attempt.ts'
import { JournalError } from '../../journal/errors.ts'
import { forceUnlock } from '../../journal/lock.ts'
import { openJournal } from '../../journal/log.ts'
import { readJournal } from '../../journal/read.ts'
import { resetBreaker, resetJournal } from '../../journal/reset.ts'
import { askRun } from '../../loop/control/ask.ts'
import { MARKER } from '../../system/processes.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { type Io, printResult } from '../io.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { isMember } from '../refuse-agent.ts'
import { LOOK_OPTIONS, LOOK_ROWS, REASON_ROWS } from '../shared-options.ts'
import { noteRefusal } from '../without-run.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  breaker: { type: 'boolean' },
  'force-unlock': { type: 'boolean' },
  reason: { type: 'string' },
  by: { type: 'string' },
} as const

export const HELP: Page = {
  usage: ['reset [options]'],
  about: 'Begin anew. The old journal is kept aside, nothing is deleted.',
  rows: [
    ['--breaker', 'only close the breaker; the run goes on'],
    ['--force-unlock', 'also when a lock of another machine is in the way'],
    ...REASON_ROWS,
    ...LOOK_ROWS,
  ],
  examples: ['exitgate reset', 'exitgate reset --breaker --reason "fixed the network"'],
}
type Values = ValuesOf<typeof OPTIONS>

/** `exitgate reset`: begin anew and keep the old journal aside, or only close the breaker. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('reset', args, OPTIONS)
  const { dir } = placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io)
  const how = { by: values.by ?? 'a person', reason: values.reason ?? 'reset', at: io.now() }
  await refuseReset(dir, { ...how, name: nameOf(values) }, io)
  const unlocked = values['force-unlock'] ? forceUnlock(dir) : undefined
  if (unlocked !== undefined) io.stderr.write(`exitgate: the lock of ${unlocked} was taken away\n`)
  if (values.breaker) {
    const journal = openJournal(dir)
    try {
      const { state } = journal.state.counters.breaker
      resetBreaker(journal, how)
      printResult(io, values, { breaker: 'closed', was: state }, [`the breaker was ${state} and is closed now`])
    } finally {
      journal.close()
    }
    return 0
  }
  const done = resetJournal(dir, how)
  if (done === undefined) printResult(io, values, { events: 0 }, ['there was nothing to reset'])
  else
    printResult(io, values, { ...done }, [
      `begun anew; the old journal (${done.events} events) is kept in ${done.archive}`,
    ])
  return 0
}

function nameOf({ breaker, 'force-unlock': unlock }: Values): string {
  return ['reset', ...(breaker ? ['--breaker'] : []), ...(unlock ? ['--force-unlock'] : [])].join(' ')
}

interface ResetAsked {
  /** The command as it was typed. */
  readonly name: string
  readonly by: string
  readonly reason: string
}

/** A reset takes away what keeps the agent in: its journal, its open breaker, the lock of its loop. So no agent gets one. */
async function refuseReset(dir: string, { name, by, reason }: ResetAsked, io: Io): Promise<void> {
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
