import { setLimit } from '../../fleet/operate.ts'
import type { LimitKind } from '../../fleet/types.ts'
import { InputError } from '../errors.ts'
import { wholeNumber } from '../parse.ts'
import type { FleetCall } from './options.ts'

const KINDS: readonly LimitKind[] = ['queue', 'repository', 'key']

/** `exitgate fleet limit --key NAME --at-once N`: what a queue, a repository or a provider key carries, over all workers. */
export async function run({ url, values, io }: FleetCall): Promise<number> {
  const [kind, ...more] = KINDS.filter((each) => values[each] !== undefined)
  const name = kind === undefined ? undefined : values[kind]
  if (kind === undefined || name === undefined || more.length > 0)
    throw new InputError('exitgate fleet limit wants exactly one of --queue, --repository and --key')
  const atOnce = wholeNumber('--at-once', values['at-once'], 1)
  const callsPerHour = wholeNumber('--calls-per-hour', values['calls-per-hour'], 1)
  const limit = {
    ...{ kind, name },
    ...(atOnce === undefined ? {} : { atOnce }),
    ...(callsPerHour === undefined ? {} : { callsPerHour }),
  }
  await setLimit(url, limit)
  const words = [
    atOnce === undefined ? '' : `${atOnce} at once`,
    callsPerHour === undefined ? '' : `${callsPerHour} calls an hour`,
  ].filter((each) => each !== '')
  io.stdout.write(
    values.json
      ? `${JSON.stringify(limit)}\n`
      : `${kind} ${name}: ${words.length === 0 ? 'no limit' : words.join(', ')}\n`,
  )
  return 0
}
