import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { databaseError, FLEET_OPTIONS, type FleetCall, urlOf } from '../fleet/call.ts'
import type { Io } from '../io.ts'
import { oneOf, parseWithCommand } from '../parse.ts'

export const OPTIONS = FLEET_OPTIONS

export const HELP: Page = {
  usage: [
    'fleet migrate | worker | status | drain | limit | watch [options]',
    'fleet submit FILE [--queue Q]',
    'fleet signal RUN|TASK KIND --reason "..." [--by NAME]',
    'fleet show RUN|TASK explain|replay|report|state|history [-- options]',
  ],
  about:
    'Many loops on many machines: tasks in a PostgreSQL database, workers that take them, repositories that travel by git. A worker that dies is replaced by another within seconds, and nothing counts twice.',
  rows: [
    ['--db URL', 'the database; or EXITGATE_FLEET_DB; with - it is read from standard input'],
    ['--queue Q', 'which queue (default main)'],
    ['--concurrency N', 'worker: runs at once (default 1)'],
    ['--lease S', 'worker: seconds of silence after which others take its runs (default 5)'],
    ['--config FILE', 'worker: which secrets and agents its queues have'],
    ['--folder DIR', 'worker: where clones and journals lie while it works on them'],
    ['--once', 'worker: end when the queue has nothing left to do'],
    ['--worker ID', 'drain: this one only'],
    ['KIND', 'interrupt, force, skip, reset-breaker, guidance, pause or resume'],
    ['--reason "..."', 'signal: why; it is written into the journal'],
    ['--by NAME', 'signal: who asks'],
    ['--repository URL', 'limit: of a repository'],
    ['--key NAME', 'limit: of a provider key'],
    ['--at-once N', 'limit: tasks at the same time'],
    ['--calls-per-hour N', 'limit: starts of an agent in any hour, over all workers'],
    ['--last N', 'status: at most N runs (default 20)'],
    ['--json', 'for machines'],
    ['--no-color', 'no colours'],
  ],
  examples: [
    'exitgate fleet worker --queue main --concurrency 4 --config worker.yaml',
    'exitgate fleet submit tasks.yaml',
    'exitgate fleet show login report -- --out login.html',
  ],
}

interface Subcommand {
  /** How many positionals it takes, and what they are. */
  readonly takes?: readonly [count: number, what: string]
  readonly options: readonly (keyof typeof FLEET_OPTIONS)[]
  readonly load: () => Promise<(call: FleetCall) => Promise<number>>
}

/** Options of every subcommand. */
const COMMON: readonly string[] = ['db', 'json', 'no-color', 'help']

const operate = () => import('../fleet/operate.ts')
const localView = () => import('../fleet/local-view.ts')

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  migrate: { options: [], load: async () => (await operate()).migrateCommand },
  worker: {
    options: ['queue', 'concurrency', 'lease', 'config', 'folder', 'once'],
    load: async () => (await import('../fleet/worker.ts')).workerCommand,
  },
  submit: {
    takes: [1, 'a file of tasks'],
    options: ['queue'],
    load: async () => (await operate()).submitCommand,
  },
  status: {
    options: ['queue', 'last'],
    load: async () => (await import('../fleet/status.ts')).statusCommand,
  },
  signal: {
    takes: [2, 'a run or task, and what is asked of it'],
    options: ['reason', 'by'],
    load: async () => (await operate()).signalCommand,
  },
  drain: { options: ['worker', 'queue'], load: async () => (await operate()).drainCommand },
  limit: {
    options: ['queue', 'repository', 'key', 'at-once', 'calls-per-hour'],
    load: async () => (await operate()).limitCommand,
  },
  show: {
    takes: [2, 'a run or task, and the command that is to show it'],
    options: [],
    load: async () => (await localView()).showCommand,
  },
  watch: { options: ['queue'], load: async () => (await localView()).watchCommand },
}

/** `exitgate fleet SUBCOMMAND`: many loops on many machines, coordinated by a database. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals, afterDashes } = parseWithCommand('fleet', args, OPTIONS, 3)
  const [first, ...rest] = positionals
  const names = Object.keys(SUBCOMMANDS)
  if (first === undefined)
    throw new InputError(`exitgate fleet needs one of ${names.join(', ')}; see exitgate fleet --help`)
  const name = oneOf('exitgate fleet', first, names)
  const { takes: [count, what] = [0, 'nothing'], options, load } = SUBCOMMANDS[name]!
  if (rest.length !== count) throw new InputError(`exitgate fleet ${name} wants ${what}; see exitgate fleet --help`)
  if (afterDashes.length > 0 && name !== 'show')
    throw new InputError(`exitgate fleet ${name} takes nothing behind --; "${afterDashes[0]}" is one word too many`)
  const other = Object.keys(values).find((each) => ![...COMMON, ...options].includes(each))
  if (other !== undefined)
    throw new InputError(`exitgate fleet ${name} has no option --${other}; see exitgate fleet --help`)
  const url = urlOf(values, io)
  const subcommand = await load()
  try {
    return await subcommand({ url, values, positionals: rest, afterDashes, io })
  } catch (error) {
    throw databaseError(error, url)
  }
}
