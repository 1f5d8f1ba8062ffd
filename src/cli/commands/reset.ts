import { count } from '../../../packages/core/src/count.ts'
import type { State } from '../../core/journal/events.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { RUN_MARK } from '../../inbox/attempt.ts'
import { JournalError } from '../../journal/errors.ts'
import { forceUnlock } from '../../journal/lock.ts'
import { readJournal } from '../../journal/read.ts'
import { resetJournal } from '../../journal/reset.ts'
import { askRun } from '../../loop/control/ask.ts'
import { MARKER } from '../../system/processes.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { DEFAULT_BY, type Io, printResult } from '../io.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { isMember } from '../refuse-agent.ts'
import { BY_ROW, LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { taskNamed } from '../task-place.ts'
import { closeBreaker, noteRefusal } from '../without-run.ts'
import { send } from './controls.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  breaker: { type: 'boolean' },
  'force-unlock': { type: 'boolean' },
  reason: { type: 'string' },
  by: { type: 'string' },
  run: { type: 'string' },
} as const

export const HELP: Page = {
  usage: ['reset [options]'],
  about: 'Start over with an empty journal; the old one is archived.',
  rows: [
    ['--breaker', 'only close the circuit breaker and keep the run'],
    ['--run TASK', 'with --breaker: of this task of --tasks (default: the run of the project)'],
    ['--force-unlock', 'remove the lock that another machine left here'],
    ['--reason TEXT', 'why; written to the journal (default: "reset")'],
    BY_ROW,
    ...LOOK_ROWS,
  ],
  examples: [
    'exitgate reset',
    'exitgate reset --breaker --reason "fixed the network"',
    'exitgate reset --breaker --run login',
  ],
}
type Values = ValuesOf<typeof OPTIONS>

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('reset', args, OPTIONS)
  if (values.run !== undefined && !values.breaker) throw new InputError('--run is only for reset --breaker.')
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = taskNamed({ workspace, dir: placeOf(workspace, values['state-dir'], io).dir }, values.run)
  const how = { by: values.by ?? DEFAULT_BY, reason: values.reason ?? 'reset', at: io.now() }
  await refuseReset(dir, { ...how, name: nameOf(values) }, io)
  const unlocked = values['force-unlock'] ? forceUnlock(dir) : undefined
  if (unlocked !== undefined) io.stderr.write(`Removed the lock of ${unlocked}.\n`)
  if (values.breaker)
    return send(values, io, { name: 'reset --breaker', kind: 'reset-breaker', reason: 'reset', act: closeBreaker })
  const done = resetJournal(dir, how)
  if (done === undefined) printResult(io, values, { events: 0 }, ['Nothing to reset.'])
  else
    printResult(io, values, { ...done }, [
      `Started over. The old journal (${count(done.events, 'event')}) was archived to ${done.archive}.`,
    ])
  return 0
}

function nameOf({ breaker, 'force-unlock': unlock }: Values): string {
  return ['reset', ...(breaker ? ['--breaker'] : []), ...(unlock ? ['--force-unlock'] : [])].join(' ')
}

interface ResetRequest {
  /** The command as you typed it. */
  readonly name: string
  readonly by: string
  readonly reason: string
}

/** A reset removes what limits the agent: its journal, its open breaker, the lock of its loop. So agents can't use it. */
async function refuseReset(dir: string, { name, by, reason }: ResetRequest, io: Io): Promise<void> {
  const marked = io.env[RUN_MARK] || io.env[MARKER] || insideAgent(io.env, io.pid)
  const state = stateOf(dir)
  if (!marked && (state === undefined || !isMember(dir, state))) return
  const who = marked ? 'an agent or a check' : "the run's own agent"
  // Only a running loop may write its journal, so it records the refusal, as a refused reset of the breaker.
  const request = { kind: 'reset-breaker' as const, by, reason: `exitgate ${name}: ${reason}` }
  const answer = await askRun(dir, request, { inside: marked || 'the agent' })
  if (answer === undefined) noted(() => noteRefusal(dir, { kind: name, by, reason }, io.now()))
  throw new InputError(`Refused: ${who} can't use exitgate ${name}. Run it in your own terminal.`)
}

/** A damaged journal is a reason to reset, not an error here. */
function stateOf(dir: string): State | undefined {
  try {
    return readJournal(dir).state
  } catch (error) {
    if (error instanceof JournalError) return undefined
    throw error
  }
}

/** The refusal counts even if it can't be recorded. */
function noted(note: () => void): void {
  try {
    note()
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
  }
}
