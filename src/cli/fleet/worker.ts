import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FleetEvent, WorkerOptions } from '../../fleet/types.ts'
import { runWorker } from '../../fleet/worker.ts'
import { readWorkerFile, type WorkerFile } from '../../fleet/worker-file.ts'
import { fileError } from '../errors.ts'
import type { Io } from '../io.ts'
import { showsUnicode } from '../live/terminal-io.ts'
import { wholeNumber } from '../parse.ts'
import { placeOf } from '../place.ts'
import { agentOf } from '../run/agent-of.ts'
import { usesColor } from '../terminal.ts'
import { eventJson, eventLines } from './event-lines.ts'
import { type FleetCall, type FleetValues, QUEUE } from './options.ts'

const NO_FILE: WorkerFile = { queues: {}, agents: {} }
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `exitgate fleet worker`: one machine's part in the fleet, until it is asked to end. */
export async function run({ url, values, io }: FleetCall): Promise<number> {
  const lease = wholeNumber('--lease', values.lease, 2)
  const drain = new AbortController()
  const interrupted = (): void => drain.abort()
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
    tell: teller(values, io),
    drain: drain.signal,
  }
  for (const interrupt of INTERRUPTS) process.on(interrupt, interrupted)
  try {
    const end = await runWorker(options)
    if (values.json) io.stdout.write(`${JSON.stringify({ type: 'over', ...end })}\n`)
    else io.stderr.write(`exitgate: the worker ends; ${end.ended} runs ended here, ${end.givenBack} were given back\n`)
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

function teller(values: FleetValues, io: Io): (event: FleetEvent) => void {
  const style = {
    color: usesColor(io.stdout, io.env, values['no-color']),
    unicode: io.stdout.isTTY !== true || showsUnicode(io),
    zone: -new Date(io.now()).getTimezoneOffset(),
  }
  return (event) => {
    const lines = values.json ? eventJson(event) : eventLines(event, style)
    for (const line of lines) io.stdout.write(`${line}\n`)
  }
}
