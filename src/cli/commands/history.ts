import { readEvents } from '../../journal/read.ts'
import { eventText } from '../../reports/event-text.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse, wholeNumber } from '../parse.ts'
import { placeOf } from '../place.ts'
import { usesColor } from '../terminal.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = { ...LOOK_OPTIONS, last: { type: 'string' }, events: { type: 'boolean' } } as const

/** `exitgate history`: decisions of the past, oldest first, in memory that does not grow with the journal. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<LookValues & { last?: string; events?: boolean }>('history', args, OPTIONS)
  const { dir } = placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io)
  const last = wholeNumber('--last', values.last, 1) ?? 20
  const style = { color: usesColor(io.stdout, io.env, values['no-color']) }
  const wanted = (type: string) =>
    values.events || type === 'iteration.decided' || type === 'run.started' || type === 'run.ended'
  // A decision writes at most a handful of events, so that many more events hold the last decisions.
  const events = [...readEvents(dir, { last: values.events ? last : last * 6 })]
    .filter(({ type }) => wanted(type))
    .slice(-last)
  if (values.json) io.stdout.write(`${JSON.stringify({ dir, events })}\n`)
  else if (events.length === 0) io.stderr.write('exitgate: nothing has been decided here yet\n')
  else for (const event of events) io.stdout.write(`${eventText(event, style)}\n`)
  return 0
}
