import { setTimeout as sleep } from 'node:timers/promises'
import type { Control } from '../../core/run.ts'
import { signal, wasTaken } from '../../fleet/operate.ts'
import { oneOf } from '../parse.ts'
import { peopleOnly } from '../people-only.ts'
import type { FleetCall } from './options.ts'

const KINDS: readonly Control['kind'][] = ['interrupt', 'force', 'skip', 'reset-breaker', 'guidance', 'pause', 'resume']
const LOOKS = 20
const LOOK_MS = 250

/** `exitgate fleet signal RUN KIND`: asks something of a run, wherever it runs, and tells whether it was heard. */
export async function run({ url, values, words, io }: FleetCall): Promise<number> {
  const [name = '', word = ''] = words
  peopleOnly('fleet signal', io)
  const kind = oneOf('exitgate fleet signal', word, KINDS)
  const { run: found, id } = await signal(url, name, { kind, by: values.by ?? 'a person', reason: values.reason ?? '' })
  let taken = false
  for (let look = 0; look < LOOKS && !taken; look++) {
    await sleep(LOOK_MS)
    taken = await wasTaken(url, id)
  }
  const { run, task, worker } = found
  if (values.json)
    io.stdout.write(`${JSON.stringify({ run, task, kind, taken, ...(worker === undefined ? {} : { worker }) })}\n`)
  else
    io.stdout.write(
      `run ${run} (${task}): ${kind} ${taken ? 'was heard' : worker === undefined ? 'waits for a worker to take the run' : 'was not heard yet; it will be before the next step of the run'}\n`,
    )
  return 0
}
