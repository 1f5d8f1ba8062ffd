import { forceUnlock } from '../../journal/lock.ts'
import { openJournal } from '../../journal/log.ts'
import { resetBreaker, resetJournal } from '../../journal/reset.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse } from '../parse.ts'
import { placeOf } from '../place.ts'
import { refuseReset } from '../refuse-reset.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  breaker: { type: 'boolean' },
  'force-unlock': { type: 'boolean' },
  reason: { type: 'string' },
  by: { type: 'string' },
} as const
type Values = LookValues & {
  readonly breaker?: boolean
  readonly reason?: string
  readonly by?: string
  readonly 'force-unlock'?: boolean
}

/** `exitgate reset`: begin anew and keep the old journal aside, or only close the breaker. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('reset', args, OPTIONS)
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
      tell(io, values, { breaker: 'closed', was: state }, `the breaker was ${state} and is closed now`)
    } finally {
      journal.close()
    }
    return 0
  }
  const done = resetJournal(dir, how)
  if (done === undefined) tell(io, values, { events: 0 }, 'there was nothing to reset')
  else tell(io, values, { ...done }, `begun anew; the old journal (${done.events} events) is kept in ${done.archive}`)
  return 0
}

function nameOf({ breaker, 'force-unlock': unlock }: Values): string {
  return ['reset', ...(breaker ? ['--breaker'] : []), ...(unlock ? ['--force-unlock'] : [])].join(' ')
}

function tell(io: Io, { json }: Values, data: object, text: string): void {
  io.stdout.write(json ? `${JSON.stringify(data)}\n` : `${text}\n`)
}
