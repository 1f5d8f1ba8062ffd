import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '../../fleet/status.ts'
import type { FleetEvent, WorkerOptions } from '../../fleet/types.ts'
import { runWorker } from '../../fleet/worker.ts'
import { readWorkerFile, type WorkerFile } from '../../fleet/worker-file.ts'
import { agentOf } from '../../loop/agent/choose-agent.ts'
import { fileError } from '../errors.ts'
import type { Io } from '../io.ts'
import { showsUnicode } from '../live/terminal-io.ts'
import { wholeNumber } from '../parse.ts'
import { placeOf } from '../place.ts'
import { usesColor } from '../terminal.ts'
import { eventJson, eventLines } from './event-lines.ts'
import { type FleetCall, type FleetValues, QUEUE } from './options.ts'
import { hider } from './trouble.ts'

const NO_FILE: WorkerFile = { queues: {}, agents: {} }
const ONCE_MS = 1000
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `exitgate fleet worker`: one machine's part in the fleet, until it is asked to end. */
export async function run({ url, values, io }: FleetCall): Promise<number> {
  // DBOS asks its connections in a way that the driver calls old; nobody who runs a worker can do anything about it.
  process.noDeprecation = true
  const lease = wholeNumber('--lease', values.lease, 2)
  const [drain, stop] = [new AbortController(), new AbortController()]
  // Asked once, it finishes the iterations at hand; asked again, it leaves them to others.
  const interrupted = (): void => (drain.signal.aborted ? stop : drain).abort()
  const options: WorkerOptions = {
    url,
    queue: values.queue ?? QUEUE,
    concurrency: wholeNumber('--concurrency', values.concurrency, 1) ?? 1,
    ...(lease === undefined ? {} : { leaseSeconds: lease }),
    folder: folderOf(values, io),
    file: await workerFile(values, io),
    env: io.env,
    agentOf,
    now: io.now,
    tell: teller(url, values, io),
    drain: drain.signal,
    stop: stop.signal,
  }
  for (const interrupt of INTERRUPTS) process.on(interrupt, interrupted)
  try {
    const working = runWorker(options)
    if (values.once) void endWhenDone(url, options.queue, drain)
    const end = await working
    if (values.json) io.stdout.write(`${JSON.stringify({ type: 'over', ...end })}\n`)
    else io.stderr.write(`exitgate: the worker ends; ${end.ended} runs ended here, ${end.givenBack} given back\n`)
    return 0
  } finally {
    for (const interrupt of INTERRUPTS) process.off(interrupt, interrupted)
  }
}

/** Beside the journals of this machine, unless the person names another place. */
function folderOf({ folder }: FleetValues, io: Io): string {
  return folder === undefined ? resolve(placeOf(io.cwd, undefined, io).dir, '..', 'fleet') : resolve(io.cwd, folder)
}

async function workerFile({ config }: FleetValues, io: Io): Promise<WorkerFile> {
  if (config === undefined) return NO_FILE
  let text: string
  try {
    text = readFileSync(resolve(io.cwd, config), 'utf8')
  } catch (error) {
    throw fileError('--config', config, error)
  }
  return readWorkerFile(text, config)
}

/** Looks until the queue has nothing left, whoever does it; a database that is away is asked again. */
async function endWhenDone(url: string, queue: string, drain: AbortController): Promise<void> {
  while (!drain.signal.aborted) {
    await sleep(ONCE_MS, undefined, { signal: drain.signal }).catch(() => {})
    const { queues } = await status(url, { queue, most: 1 }).catch(() => ({ queues: undefined }))
    if (queues?.every(({ ready, waiting, running }) => ready + waiting + running === 0)) drain.abort()
  }
}

function teller(url: string, values: FleetValues, io: Io): (event: FleetEvent) => void {
  const hide = hider(url)
  const style = {
    color: usesColor(io.stdout, io.env, values['no-color']),
    unicode: io.stdout.isTTY !== true || showsUnicode(io),
    zone: -new Date(io.now()).getTimezoneOffset(),
  }
  return (event) => {
    const lines = values.json ? eventJson(event) : eventLines(event, style)
    for (const line of lines) io.stdout.write(`${hide(line)}\n`)
    if (event.type === 'draining' && event.runs > 0 && io.stdout.isTTY && !values.json)
      io.stdout.write('         once more gives them back at once, and others begin these iterations again\n')
  }
}
