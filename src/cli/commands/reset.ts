import { forceUnlock } from '../../journal/lock.ts'
import { openJournal } from '../../journal/log.ts'
import { resetBreaker, resetJournal } from '../../journal/reset.ts'
import type { Page } from '../command.ts'
import { type Io, printResult } from '../io.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { refuseReset } from '../refuse-reset.ts'
import { LOOK_OPTIONS, LOOK_ROWS, REASON_ROWS } from '../shared-options.ts'

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
