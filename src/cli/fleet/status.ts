import { status } from '../../fleet/status.ts'
import { wholeNumber } from '../parse.ts'
import { usesColor } from '../terminal.ts'
import type { FleetCall } from './options.ts'
import { statusText } from './status-text.ts'

/** `exitgate fleet status`: queues, workers and runs, in one look. */
export async function run({ url, values, io }: FleetCall): Promise<number> {
  const { queue } = values
  const most = wholeNumber('--last', values.last, 1) ?? 20
  const found = await status(url, { most, ...(queue === undefined ? {} : { queue }) })
  if (values.json) io.stdout.write(`${JSON.stringify(found)}\n`)
  else
    io.stdout.write(
      statusText(found, {
        color: usesColor(io.stdout, io.env, values['no-color']),
        columns: io.stdout.columns ?? 160,
        now: io.now(),
      }),
    )
  return 0
}
