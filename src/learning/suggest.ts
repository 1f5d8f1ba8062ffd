import { backtest } from '../backtest/backtest.ts'
import type { RunBacktest } from '../backtest/types.ts'
import type { Config, PresetName } from '../core/config.ts'
import type { JournalEvent, Label } from '../core/journal/events.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'

/** A number of the configuration that the past can speak about. What the gate asks for (`required`) is not among them. */
interface Knob {
  readonly path: readonly string[]
  /** The preset that asks it; every one when absent. */
  readonly preset?: PresetName
  /** The direction in which the gate opens more easily; absent for what never opens it. */
  readonly opens?: 'lower' | 'higher'
  readonly candidates: (now: number, longest: number) => readonly number[]
}

const few = (now: number): readonly number[] => [now - 2, now - 1, now + 1, now + 2, now + 3].filter((n) => n >= 1)
const points = (now: number): readonly number[] =>
  [now - 10, now - 5, now + 5, now + 10].filter((n) => n >= 0 && n <= 100)

/** With room for a quarter more than the longest run that was completed. */
const caps = (now: number, longest: number): readonly number[] =>
  [Math.ceil(longest * 1.25), Math.ceil(now / 2), Math.ceil((now * 3) / 4)].filter((n) => n >= 1 && n < now)

const WEIGHTS = ['block', 'phaseComplete', 'changed', 'taskInDone', 'keywords', 'testsPass']

export const KNOBS: readonly Knob[] = [
  ...['hollowClaims', 'sameTask', 'oscillation', 'unverifiable'].map((key): Knob => ({ path: [key], candidates: few })),
  { path: ['breaker', 'noProgress'], candidates: few },
  { path: ['limits', 'iterations'], candidates: caps },
  { path: ['doyaken', 'threshold'], preset: 'doyaken', opens: 'lower', candidates: points },
  ...WEIGHTS.map(
    (key): Knob => ({ path: ['doyaken', 'weights', key], preset: 'doyaken', opens: 'higher', candidates: points }),
  ),
  { path: ['blackbox', 'minConfidence'], preset: 'blackbox', candidates: points },
]

type Table = Readonly<Record<string, unknown>>
const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The number at a path; nothing when there is none, or it is switched off by zero. */
function numberAt(config: Config, path: readonly string[]): number | undefined {
  let value: unknown = config
  for (const key of path) value = isTable(value) ? value[key] : undefined
  return typeof value === 'number' && value > 0 ? value : undefined
}

/** The same configuration with another number there. */
function withNumber(config: Config, path: readonly string[], to: number): Config {
  return { ...config, ...put(config as unknown as Table, path, to) }
}

function put(table: Table, [key = '', ...below]: readonly string[], to: number): Table {
  const inside = table[key]
  return { ...table, [key]: below.length === 0 ? to : put(isTable(inside) ? inside : {}, below, to) }
}

/** What the runs of the past would have come to with another number. */
export interface Effect {
  /** Iterations that were not needed. */
  readonly saved: number
  /** Completions labelled bad that would not have been accepted. */
  readonly avoided: number
  /** Completions that would not have been accepted, or not there, and are not labelled bad. */
  readonly lost: number
  /** Runs labelled good that were stopped, and would not have been. */
  readonly spared: number
}

export interface Suggestion extends Effect {
  /** As it stands in a configuration file. */
  readonly path: readonly string[]
  readonly taskType?: string
  readonly from: number
  readonly to: number
  /** How many runs it rests on, and how many of them have a label. */
  readonly runs: number
  readonly labelled: number
  readonly opensMoreEasily: boolean
}

/** Fewer runs than these have nothing to say. */
const LEAST_RUNS = 10
/** A gate may be made stricter at the price of one completion for so many bad ones that it avoids. */
const WORTH = 3

interface Scope {
  readonly taskType?: string
  readonly runs: ReadonlySet<string>
}

/** For each number the one that would have served the past best, where that is better than the one of today. */
export function suggest(
  histories: readonly (readonly JournalEvent[])[],
  labels: ReadonlyMap<string, Label>,
  policyFor: PolicyLookup,
): readonly Suggestion[] {
  const configs = configsOf(histories.flat())
  const longest = longestCompleted(histories.flat())
  return KNOBS.flatMap((knob) => {
    const all = bestIn(knob, { runs: runsOf(configs, knob) })
    const types = new Set([...configs.values()].flatMap(({ taskType }) => (taskType ? [taskType] : [])))
    const apart = [...types].flatMap((taskType) => bestIn(knob, { taskType, runs: runsOf(configs, knob, taskType) }))
    return [...all, ...apart.filter(({ to }) => to !== all[0]?.to)]
  })

  function bestIn(knob: Knob, scope: Scope): readonly Suggestion[] {
    const last = [...scope.runs].flatMap((run) => configs.get(run) ?? []).at(-1)
    const from = last && numberAt(last, knob.path)
    if (from === undefined || scope.runs.size < LEAST_RUNS) return []
    const tried = [...new Set(knob.candidates(from, longest))].map((to) => judged(knob, scope, from, to))
    const best = tried.filter((each) => isBetter(each, knob)).sort((a, b) => gain(b) - gain(a) || near(a) - near(b))[0]
    return best === undefined ? [] : [best]
  }

  function judged(knob: Knob, scope: Scope, from: number, to: number): Suggestion {
    const effect = { saved: 0, avoided: 0, lost: 0, spared: 0 }
    let labelled = 0
    const config = (recorded: Config): Config =>
      numberAt(recorded, knob.path) === from && isOf(recorded, scope.taskType)
        ? withNumber(recorded, knob.path, to)
        : recorded
    for (const history of histories)
      for (const run of backtest(history, { name: knob.path.join('.'), config }, policyFor, labels)) {
        if (!scope.runs.has(run.run)) continue
        if (run.label !== undefined) labelled += 1
        add(effect, run)
      }
    const { taskType } = scope
    return {
      path: taskType === undefined ? knob.path : ['taskTypes', taskType, ...knob.path],
      ...(taskType === undefined ? {} : { taskType }),
      from,
      to,
      runs: scope.runs.size,
      labelled,
      ...effect,
      opensMoreEasily: knob.opens !== undefined && (knob.opens === 'lower' ? to < from : to > from),
    }
  }
}

function add(effect: { -readonly [K in keyof Effect]: number }, run: RunBacktest): void {
  const completed = run.recorded?.outcome === 'completed'
  if (run.effect === 'avoided') effect.avoided += 1
  else if (run.effect === 'broken' || run.effect === 'delayed') effect.lost += 1
  else if ((run.effect === 'changed' || run.effect === 'goes-on') && completed) effect.lost += 1
  else if (run.effect === 'goes-on' && run.label === 'good') effect.spared += 1
  if (run.effect === 'avoided' || run.effect === 'cut-short') effect.saved += run.saved.iterations
}

const gain = ({ saved, avoided, lost, spared }: Effect): number => saved + 5 * avoided + 5 * spared - 20 * lost
const near = ({ from, to }: Suggestion): number => Math.abs(to - from)

const isBetter = (each: Suggestion, { opens }: Knob): boolean =>
  gain(each) > 0 && (each.lost === 0 || (opens !== undefined && each.avoided >= WORTH * each.lost))

const isOf = ({ taskType }: Config, wanted: string | undefined): boolean => wanted === undefined || taskType === wanted

function runsOf(configs: ReadonlyMap<string, Config>, knob: Knob, taskType?: string): ReadonlySet<string> {
  const asks = (config: Config): boolean => knob.preset === undefined || config.preset === knob.preset
  return new Set([...configs].flatMap(([run, config]) => (asks(config) && isOf(config, taskType) ? [run] : [])))
}

/** The configuration that each run began with. */
function configsOf(events: readonly JournalEvent[]): ReadonlyMap<string, Config> {
  const configs = new Map<string, Config>()
  let config: Config | undefined
  for (const event of events) {
    if (event.type === 'config.changed') config = event.config
    if (event.type !== 'run.started') continue
    config = event.config ?? config
    if (config !== undefined) configs.set(event.run, config)
  }
  return configs
}

const longestCompleted = (events: readonly JournalEvent[]): number =>
  Math.max(
    1,
    ...events.flatMap((event) =>
      event.type === 'run.ended' && event.outcome === 'completed' ? [event.iteration] : [],
    ),
  )
