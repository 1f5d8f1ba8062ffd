import { setTimeout as sleep } from 'node:timers/promises'
import { count } from '../../../packages/core/src/count.ts'
import type { Control } from '../../core/run.ts'
import { migrate } from '../../fleet/database/migrate.ts'
import { drain, setLimit, signal, wasTaken } from '../../fleet/operate.ts'
import { submit } from '../../fleet/submit.ts'
import type { LimitKind } from '../../fleet/types.ts'
import { plain } from '../../reports/verdict-text.ts'
import { InputError } from '../errors.ts'
import { DEFAULT_BY, warn } from '../io.ts'
import { subcommandOf, wholeNumber } from '../parse.ts'
import { userOnly } from '../refuse-agent.ts'
import { readTasks } from '../run/read-tasks.ts'
import { type FleetCall, QUEUE } from './call.ts'

/** `exitgate fleet migrate`: creates the tables and roles, or updates them to this version. */
export async function migrateCommand({ url, values, io }: FleetCall): Promise<number> {
  const done = await withoutConsole(() => migrate(url))
  io.stdout.write(values.json ? `${JSON.stringify(done)}\n` : `${resultText(done)}\n`)
  for (const note of values.json ? [] : done.notes) warn(io, note)
  return 0
}

function resultText({ from, to }: Awaited<ReturnType<typeof migrate>>): string {
  return from === to ? `The tables are already at version ${to}.` : `Updated the tables from version ${from} to ${to}.`
}

/** DBOS logs about its own tables to the console; the output here is one line. */
async function withoutConsole<T>(work: () => Promise<T>): Promise<T> {
  const { log } = console
  console.log = () => {}
  try {
    return await work()
  } finally {
    console.log = log
  }
}

/** `exitgate fleet submit FILE`: puts a list of tasks into a queue, all or none. */
export async function submitCommand({ url, values, positionals, io }: FleetCall): Promise<number> {
  const { backlog } = readTasks(positionals[0] ?? '', io.cwd)
  const done = await submit(url, backlog, { queue: values.queue ?? QUEUE })
  if (values.json) io.stdout.write(`${JSON.stringify(done)}\n`)
  else {
    for (const { task, standing } of done.tasks)
      io.stdout.write(`${plain(task)}${standing === 'waiting' ? ' (waits for other tasks)' : ''}\n`)
    io.stderr.write(
      `Added ${count(done.tasks.length, 'task')} to the queue "${done.queue}". exitgate fleet status shows them.\n`,
    )
  }
  return 0
}

/** `exitgate fleet drain`: workers return their runs after the current iteration, and exit. */
export async function drainCommand({ url, values, io }: FleetCall): Promise<number> {
  const { worker, queue } = values
  const workers = await drain(url, {
    ...(worker === undefined ? {} : { worker }),
    ...(queue === undefined ? {} : { queue }),
  })
  if (values.json) io.stdout.write(`${JSON.stringify({ workers })}\n`)
  else if (workers.length === 0) io.stderr.write('No worker to drain.\n')
  else for (const id of workers) io.stdout.write(`${id} takes no new runs and exits after its current iterations.\n`)
  return 0
}

const LIMIT_KINDS: readonly LimitKind[] = ['queue', 'repository', 'key']

/** `exitgate fleet limit`: limits a queue, a repository or a provider key, over all workers. */
export async function limitCommand({ url, values, io }: FleetCall): Promise<number> {
  const [kind, ...more] = LIMIT_KINDS.filter((each) => values[each] !== undefined)
  const name = kind === undefined ? undefined : values[kind]
  if (kind === undefined || name === undefined || more.length > 0)
    throw new InputError('Pass exactly one of --queue, --repository and --key.')
  const numberOf = (flag: 'at-once' | 'calls-per-hour') =>
    values[flag] === 'none' ? undefined : wholeNumber(`--${flag}`, values[flag], 1)
  const atOnce = numberOf('at-once')
  const callsPerHour = numberOf('calls-per-hour')
  const limit = {
    ...{ kind, name },
    ...(atOnce === undefined ? {} : { atOnce }),
    ...(callsPerHour === undefined ? {} : { callsPerHour }),
  }
  await setLimit(url, limit)
  const parts = [
    atOnce === undefined ? '' : `${atOnce} at once`,
    callsPerHour === undefined ? '' : `${count(callsPerHour, 'call')} an hour`,
  ].filter((each) => each !== '')
  io.stdout.write(
    values.json
      ? `${JSON.stringify(limit)}\n`
      : `${kind} ${name}: ${parts.length === 0 ? 'no limit' : parts.join(', ')}\n`,
  )
  return 0
}

const KINDS: readonly Control['kind'][] = ['interrupt', 'force', 'skip', 'reset-breaker', 'guidance', 'pause', 'resume']
const POLLS = 20
const POLL_MS = 250

/** `exitgate fleet signal RUN KIND`: sends a control to a run, wherever it runs, and reports whether it arrived. */
export async function signalCommand({ url, values, positionals, io }: FleetCall): Promise<number> {
  const [name = '', word = ''] = positionals
  userOnly('fleet signal', io)
  const kind = subcommandOf('fleet signal', word, KINDS)
  const { run: found, id } = await signal(url, name, { kind, by: values.by ?? DEFAULT_BY, reason: values.reason ?? '' })
  let taken = false
  for (let poll = 0; poll < POLLS && !taken; poll++) {
    await sleep(POLL_MS)
    taken = await wasTaken(url, id)
  }
  const { run, task, worker } = found
  if (values.json)
    io.stdout.write(`${JSON.stringify({ run, task, kind, taken, ...(worker === undefined ? {} : { worker }) })}\n`)
  else
    io.stdout.write(
      `Run ${run} (${task}): ${kind} ${taken ? 'received' : worker === undefined ? 'is waiting for a worker' : 'not received yet; the worker reads it before its next step'}.\n`,
    )
  return 0
}
