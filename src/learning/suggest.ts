import { backtest } from '../backtest/backtest.ts'
import type { RunBacktest } from '../backtest/types.ts'
import type { Config, PresetName } from '../core/config.ts'
import type { JournalEvent, Label } from '../core/journal/events.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'

/** A number of the configuration that recorded runs can inform. What completion requires (`required`) is not among them. */
interface TunableNumber {
  readonly path: readonly string[]
  /** The preset that uses it; all if absent. */
  readonly preset?: PresetName
  /** The direction that makes completion easier; absent if it never affects completion. */
  readonly easierWhen?: 'lower' | 'higher'
  readonly candidates: (now: number, longest: number) => readonly number[]
}

const few = (now: number): readonly number[] => [now - 2, now - 1, now + 1, now + 2, now + 3].filter((n) => n >= 1)
const points = (now: number): readonly number[] =>
  [now - 10, now - 5, now + 5, now + 10].filter((n) => n >= 0 && n <= 100)

/** A quarter more than the longest completed run. */
const caps = (now: number, longest: number): readonly number[] =>
  [Math.ceil(longest * 1.25), Math.ceil(now / 2), Math.ceil((now * 3) / 4)].filter((n) => n >= 1 && n < now)

const WEIGHTS = ['block', 'phaseComplete', 'changed', 'taskInDone', 'keywords', 'testsPass']

export const TUNABLE_NUMBERS: readonly TunableNumber[] = [
  ...['hollowClaims', 'sameTask', 'oscillation', 'unverifiable'].map(
    (key): TunableNumber => ({ path: [key], candidates: few }),
  ),
  { path: ['breaker', 'noProgress'], candidates: few },
  { path: ['limits', 'iterations'], candidates: caps },
  { path: ['doyaken', 'threshold'], preset: 'doyaken', easierWhen: 'lower', candidates: points },
  ...WEIGHTS.map(
    (key): TunableNumber => ({
      path: ['doyaken', 'weights', key],
      preset: 'doyaken',
      easierWhen: 'higher',
      candidates: points,
    }),
  ),
  { path: ['blackbox', 'minConfidence'], preset: 'blackbox', candidates: points },
]

type Table = Readonly<Record<string, unknown>>
const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The number at a path; undefined if there is none or zero disables it. */
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

/** How recorded runs would have ended with another number. */
export interface Effect {
  /** Iterations that were not needed. */
  readonly saved: number
  /** Completions labelled bad that would not have been accepted. */
  readonly avoided: number
  /** Completions not labelled bad that would not have been accepted, or not at that point. */
  readonly lost: number
  /** Runs labelled good that were stopped, and would not have been. */
  readonly spared: number
}

export interface Suggestion extends Effect {
  /** The key as it is written in a configuration file. */
  readonly path: readonly string[]
  readonly taskType?: string
  readonly from: number
  readonly to: number
  /** How many runs it is based on, and how many of them have a label. */
  readonly runs: number
  readonly labelled: number
  readonly opensMoreEasily: boolean
}

/** Fewer runs than this give no suggestion. */
const MIN_RUNS = 10
/** A stricter setting may cost one good completion for this many bad ones it avoids. */
const MIN_AVOIDED_PER_LOST = 3

interface Scope {
  readonly taskType?: string
  readonly runs: ReadonlySet<string>
}

/** For each number the value that would have been best, if it beats the current one. */
export function suggest(
  histories: readonly (readonly JournalEvent[])[],
  labels: ReadonlyMap<string, Label>,
  policyFor: PolicyLookup,
): readonly Suggestion[] {
  const configs = configsOf(histories.flat())
  const longest = longestCompleted(histories.flat())
  return TUNABLE_NUMBERS.flatMap((knob) => {
    const all = bestIn(knob, { runs: runsOf(configs, knob) })
    const types = new Set([...configs.values()].flatMap(({ taskType }) => (taskType ? [taskType] : [])))
    const apart = [...types].flatMap((taskType) => bestIn(knob, { taskType, runs: runsOf(configs, knob, taskType) }))
    return [...all, ...apart.filter(({ to }) => to !== all[0]?.to)]
  })

  function bestIn(knob: TunableNumber, scope: Scope): readonly Suggestion[] {
    const last = [...scope.runs].flatMap((run) => configs.get(run) ?? []).at(-1)
    const from = last && numberAt(last, knob.path)
    if (from === undefined || scope.runs.size < MIN_RUNS) return []
    const tried = [...new Set(knob.candidates(from, longest))].map((to) => judged(knob, scope, from, to))
    const best = tried.filter((each) => isBetter(each, knob)).sort((a, b) => gain(b) - gain(a) || near(a) - near(b))[0]
    return best === undefined ? [] : [best]
  }

  function judged(knob: TunableNumber, scope: Scope, from: number, to: number): Suggestion {
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
      opensMoreEasily: knob.easierWhen !== undefined && (knob.easierWhen === 'lower' ? to < from : to > from),
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

const isBetter = (each: Suggestion, { easierWhen }: TunableNumber): boolean =>
  gain(each) > 0 && (each.lost === 0 || (easierWhen !== undefined && each.avoided >= MIN_AVOIDED_PER_LOST * each.lost))

const isOf = ({ taskType }: Config, wanted: string | undefined): boolean => wanted === undefined || taskType === wanted

function runsOf(configs: ReadonlyMap<string, Config>, knob: TunableNumber, taskType?: string): ReadonlySet<string> {
  const asks = (config: Config): boolean => knob.preset === undefined || config.preset === knob.preset
  return new Set([...configs].flatMap(([run, config]) => (asks(config) && isOf(config, taskType) ? [run] : [])))
}

/** The configuration each run started with. */
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
