import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { count } from '../../../packages/core/src/count.ts'
import { isPrinted } from '../../core/loop-event.ts'
import { status } from '../../fleet/status.ts'
import type { FleetEvent, WorkerOptions } from '../../fleet/types.ts'
import { runWorker } from '../../fleet/worker.ts'
import { readWorkerFile, type WorkerFile } from '../../fleet/worker-file.ts'
import { agentOf } from '../../loop/agent/choose-agent.ts'
import { asciiOnly, clean } from '../../reports/live/clean.ts'
import { clockText } from '../../reports/live/duration.ts'
import { harmless, jsonDocument, type LineStyle, plainLine } from '../../reports/live/event-lines.ts'
import { painter } from '../../reports/verdict-text.ts'
import { fileError } from '../errors.ts'
import { type Io, usesColor } from '../io.ts'
import { keepProgram } from '../keep-program.ts'
import { showsUnicode } from '../live/terminal.ts'
import { wholeNumber } from '../parse.ts'
import { placeOf } from '../place.ts'
import { type FleetCall, type FleetValues, passwordHider, QUEUE } from './call.ts'

const NO_FILE: WorkerFile = { queues: {}, agents: {} }
const ONCE_MS = 1000
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `exitgate fleet worker`: takes runs from the queue until a signal or a drain ends it. */
export async function workerCommand({ url, values, io }: FleetCall): Promise<number> {
  keepProgram()
  // DBOS uses a deprecated call of the driver, and the user can't do anything about the warning.
  process.noDeprecation = true
  const lease = wholeNumber('--lease', values.lease, 2)
  const [drain, stop] = [new AbortController(), new AbortController()]
  // The first signal lets the current iterations finish, the second leaves them to other workers.
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
    emit: eventPrinter(url, values, io),
    drain: drain.signal,
    stop: stop.signal,
  }
  for (const interrupt of INTERRUPTS) process.on(interrupt, interrupted)
  try {
    const working = runWorker(options)
    if (values.once) void endWhenDone(url, options.queue, drain)
    const end = await working
    if (values.json) io.stdout.write(`${JSON.stringify({ type: 'over', ...end })}\n`)
    else
      io.stderr.write(
        `Worker stopped: ${count(end.ended, 'run')} ended here, ${end.givenBack} returned to the queue.\n`,
      )
    return 0
  } finally {
    for (const interrupt of INTERRUPTS) process.off(interrupt, interrupted)
  }
}

/** Next to the journals of this machine, unless the user passes another folder. */
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

/** Polls until the queue is empty, whichever worker runs the tasks. Retries while the database is unreachable. */
async function endWhenDone(url: string, queue: string, drain: AbortController): Promise<void> {
  while (!drain.signal.aborted) {
    await sleep(ONCE_MS, undefined, { signal: drain.signal }).catch(() => {})
    const { queues } = await status(url, { queue, most: 1 }).catch(() => ({ queues: undefined }))
    if (queues?.every(({ ready, waiting, running }) => ready + waiting + running === 0)) drain.abort()
  }
}

function eventPrinter(url: string, values: FleetValues, io: Io): (event: FleetEvent) => void {
  const hide = passwordHider(url)
  const style = {
    color: usesColor(io.stdout, io.env, values['no-color']),
    unicode: io.stdout.isTTY !== true || showsUnicode(io),
    zone: -new Date(io.now()).getTimezoneOffset(),
  }
  return (event) => {
    const lines = values.json ? eventJson(event) : eventLines(event, style)
    for (const line of lines) io.stdout.write(`${hide(line)}\n`)
    if (event.type === 'draining' && event.runs > 0 && io.stdout.isTTY && !values.json)
      io.stdout.write('         press Ctrl+C again to return them at once; other workers repeat these iterations\n')
  }
}

/** An event of the worker as lines, each with its time and run. */
function eventLines(event: FleetEvent, style: LineStyle): readonly string[] {
  const paint = painter(style)
  if (event.type === 'loop') {
    // The worker's own events already show the start and the end of a run.
    if (event.event.type === 'started' || event.event.type === 'ended') return []
    return plainLine(event.event, style).map((line) => {
      const at = line.indexOf(' ')
      return at === 0 ? line : `${line.slice(0, at)} ${paint(`[${clean(event.run)}]`, 'cyan')}${line.slice(at)}`
    })
  }
  const line = `${paint(clockText(event.at, style.zone), 'dim')} ${eventText(event, paint)}`
  return [style.unicode ? line : asciiOnly(line)]
}

type WorkerEvent = Exclude<FleetEvent, { readonly type: 'loop' }>

function eventText(event: WorkerEvent, paint: ReturnType<typeof painter>): string {
  const run = 'run' in event ? `${paint(`[${clean(event.run)}]`, 'cyan')} ` : ''
  switch (event.type) {
    case 'worker':
      return `worker ${clean(event.worker)} started on queue ${clean(event.queue)}`
    case 'claimed':
      return `${run}${event.from === undefined ? 'started' : `resumed from worker ${clean(event.from)}`}`
    case 'lost':
      return `${run}${paint('lost:', 'yellow')} ${clean(event.why)}`
    case 'given-back':
      return `${run}returned to the queue`
    case 'ended': {
      const { outcome, ending, reason, branch } = event.end
      const tone = outcome === 'completed' ? 'green' : 'red'
      const where = branch === undefined ? '' : ` (branch ${clean(branch)})`
      return `${run}${paint(`${outcome}/${ending}`, tone)}: ${clean(reason)}${where}`
    }
    case 'draining':
      return `draining: ${count(event.runs, 'run')} finishing the current iteration`
    case 'warning':
      return `${paint('warning:', 'yellow')} ${clean(event.text)}`
  }
}

/** The same as one JSON object per line. */
function eventJson(event: FleetEvent): readonly string[] {
  if (event.type !== 'loop') return [harmless(JSON.stringify(event))]
  if (isPrinted(event.event)) return []
  return [harmless(JSON.stringify({ type: 'loop', run: event.run, event: jsonDocument(event.event, { exitCode: 0 }) }))]
}
