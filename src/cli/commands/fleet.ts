import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { databaseError, FLEET_OPTIONS, type FleetCall, urlOf } from '../fleet/call.ts'
import type { Io } from '../io.ts'
import { parse, subcommandOf } from '../parse.ts'
import { BY_ROW, JSON_ROW, NO_COLOR_ROW } from '../shared-options.ts'

export const OPTIONS = FLEET_OPTIONS

export const HELP: Page = {
  usage: [
    'fleet migrate|worker|status|drain|limit|watch [options]',
    'fleet submit FILE [--queue Q]',
    'fleet signal RUN KIND --reason TEXT',
    'fleet show RUN COMMAND [-- <options of that command>]',
  ],
  about: 'Run tasks on many machines, coordinated by a PostgreSQL database.',
  rows: [
    ['--db URL', 'database; - reads it from stdin (default: EXITGATE_FLEET_DB)'],
    ['--queue Q', 'queue (default: main; status, drain and watch: all)'],
    JSON_ROW,
    NO_COLOR_ROW,
  ],
  groups: [
    [
      'worker',
      [
        ['--concurrency N', 'run up to N tasks at a time (default: 1)'],
        ['--lease SECONDS', 'other workers take over after this much silence (default: 5)'],
        ['--config FILE', 'secrets and agents for each queue (default: none)'],
        ['--folder DIR', 'where to keep clones and journals (default: in your user state folder)'],
        ['--once', 'exit when the queue is empty'],
      ],
    ],
    [
      'signal, drain, limit, status',
      [
        ['--reason TEXT', 'signal: why; written to the journal (required)'],
        ['--by NAME', `signal: ${BY_ROW[1]}`],
        ['--worker ID', 'drain: only this worker (default: all)'],
        ['--repository URL', 'limit: a repository'],
        ['--key NAME', 'limit: a provider key'],
        ['--at-once N', 'limit: tasks at the same time (default: none)'],
        ['--calls-per-hour N', 'limit: agent starts per hour, over all workers (default: none)'],
        ['--last N', 'status: at most N runs (default: 20)'],
      ],
    ],
  ],
  more: 'RUN is a run id or a task. KIND is interrupt, force, skip, reset-breaker, guidance, pause or resume. COMMAND is explain, report, status, log, replay or backtest. If a worker dies, another one takes over its runs within seconds.',
  examples: [
    'exitgate fleet worker --concurrency 4 --config worker.yaml',
    'exitgate fleet submit tasks.yaml',
    'exitgate fleet show login report -- --out login.html',
  ],
}

interface Subcommand {
  /** How many arguments it takes, and what they are. */
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
  submit: { takes: [1, 'a file with tasks'], options: ['queue'], load: async () => (await operate()).submitCommand },
  status: { options: ['queue', 'last'], load: async () => (await import('../fleet/status.ts')).statusCommand },
  signal: {
    takes: [2, 'a run and a kind'],
    options: ['reason', 'by'],
    load: async () => (await operate()).signalCommand,
  },
  drain: { options: ['worker', 'queue'], load: async () => (await operate()).drainCommand },
  limit: {
    options: ['queue', 'repository', 'key', 'at-once', 'calls-per-hour'],
    load: async () => (await operate()).limitCommand,
  },
  show: { takes: [2, 'a run and a command'], options: [], load: async () => (await localView()).showCommand },
  watch: { options: ['queue'], load: async () => (await localView()).watchCommand },
}

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals, afterDashes } = parse('fleet', args, OPTIONS, 3, () => undefined)
  const [first, ...rest] = positionals
  const names = Object.keys(SUBCOMMANDS)
  const name = subcommandOf('fleet', first, names)
  const { takes: [count, what] = [0, 'no arguments'], options, load } = SUBCOMMANDS[name]!
  if (rest.length !== count) throw new InputError(`exitgate fleet ${name} takes ${what}. See exitgate fleet --help.`)
  if (afterDashes.length > 0 && name !== 'show')
    throw new InputError(`Unexpected argument "${afterDashes[0]}": exitgate fleet ${name} takes nothing after --.`)
  const other = Object.keys(values).find((each) => ![...COMMON, ...options].includes(each))
  if (other !== undefined)
    throw new InputError(`exitgate fleet ${name} has no option --${other}. See exitgate fleet --help.`)
  const url = urlOf(values, io)
  const subcommand = await load()
  try {
    return await subcommand({ url, values, positionals: rest, afterDashes, io })
  } catch (error) {
    throw databaseError(error, url)
  }
}
