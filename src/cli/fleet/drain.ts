import { drain } from '../../fleet/operate.ts'
import type { FleetCall } from './options.ts'

/** `exitgate fleet drain`: workers give their runs back after the iteration at hand, and end. */
export async function run({ url, values, io }: FleetCall): Promise<number> {
  const { worker, queue } = values
  const asked = await drain(url, {
    ...(worker === undefined ? {} : { worker }),
    ...(queue === undefined ? {} : { queue }),
  })
  if (values.json) io.stdout.write(`${JSON.stringify({ workers: asked })}\n`)
  else if (asked.length === 0) io.stderr.write('exitgate: there is no worker to be drained\n')
  else for (const id of asked) io.stdout.write(`${id} takes nothing new and ends after the iterations at hand\n`)
  return 0
}
