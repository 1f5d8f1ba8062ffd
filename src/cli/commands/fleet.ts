import { InputError } from '../errors.ts'
import { FLEET_OPTIONS, type FleetCall, type FleetValues, urlOf } from '../fleet/options.ts'
import type { Io } from '../io.ts'
import { oneOf, parseApart } from '../parse.ts'

export const OPTIONS = FLEET_OPTIONS

interface Verb {
  /** Words behind it: at least, at most. */
  readonly words: readonly [number, number]
  readonly wants: string
  readonly options: readonly (keyof typeof FLEET_OPTIONS)[]
  readonly load: () => Promise<{ run(call: FleetCall): Promise<number> }>
}

const EVERYWHERE: readonly string[] = ['db', 'json', 'no-color', 'help']

/** What can be asked of the fleet. A new verb is a new file and a line here. */
const VERBS = {
  migrate: { words: [0, 0], wants: 'nothing', options: [], load: () => import('../fleet/migrate.ts') },
  worker: {
    words: [0, 0],
    wants: 'nothing',
    options: ['queue', 'concurrency', 'lease', 'config', 'folder', 'once'],
    load: () => import('../fleet/worker.ts'),
  },
  submit: { words: [1, 1], wants: 'a file of tasks', options: ['queue'], load: () => import('../fleet/submit.ts') },
  status: { words: [0, 0], wants: 'nothing', options: ['queue', 'last'], load: () => import('../fleet/status.ts') },
  signal: {
    words: [2, 2],
    wants: 'a run or task, and what is asked of it',
    options: ['reason', 'by'],
    load: () => import('../fleet/signal.ts'),
  },
  drain: { words: [0, 0], wants: 'nothing', options: ['worker', 'queue'], load: () => import('../fleet/drain.ts') },
  limit: {
    words: [0, 0],
    wants: 'nothing',
    options: ['queue', 'repository', 'key', 'at-once', 'calls-per-hour'],
    load: () => import('../fleet/limit.ts'),
  },
  show: {
    words: [2, 2],
    wants: 'a run or task, and the command that is to show it',
    options: [],
    load: () => import('../fleet/show.ts'),
  },
  watch: { words: [0, 0], wants: 'nothing', options: ['queue'], load: () => import('../fleet/watch.ts') },
} as const satisfies Readonly<Record<string, Verb>>

/** `exitgate fleet VERB`: many loops on many machines, with a database between them. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, words, behind } = parseApart<FleetValues>('fleet', args, OPTIONS, 3)
  const [word, ...rest] = words
  if (word === undefined)
    throw new InputError(`exitgate fleet needs one of ${Object.keys(VERBS).join(', ')}; see exitgate fleet --help`)
  const name = oneOf('exitgate fleet', word, Object.keys(VERBS) as (keyof typeof VERBS)[])
  const verb: Verb = VERBS[name]
  const [least, most] = verb.words
  if (rest.length < least || rest.length > most)
    throw new InputError(`exitgate fleet ${name} wants ${verb.wants}; see exitgate fleet --help`)
  if (behind.length > 0 && name !== 'show')
    throw new InputError(`exitgate fleet ${name} takes nothing behind --; "${behind[0]}" is one word too many`)
  const allowed = [...EVERYWHERE, ...verb.options]
  const other = Object.keys(values).find((each) => !allowed.includes(each))
  if (other !== undefined)
    throw new InputError(`exitgate fleet ${name} has no option --${other}; see exitgate fleet --help`)
  const url = urlOf(values, io)
  const { run: act } = await verb.load()
  try {
    return await act({ url, values, words: rest, behind, io })
  } catch (error) {
    const { trouble } = await import('../fleet/trouble.ts')
    throw trouble(error, url)
  }
}
