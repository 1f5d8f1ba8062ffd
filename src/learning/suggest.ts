import { backtestEach } from '../backtest/backtest.ts'
import type { Alternative, RunBacktest } from '../backtest/types.ts'
import type { Config } from '../core/config.ts'
import type { JournalEvent, Label } from '../core/journal/events.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'
import { numberAt, TUNABLE_NUMBERS, type TunableNumber, withNumber } from './tunable-numbers.ts'

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

type MutableEffect = { -readonly [K in keyof Effect]: number }

/** Another number for the runs of a scope, and what it would have changed. */
interface Trial {
  readonly knob: TunableNumber
  readonly scope: Scope
  readonly from: number
  readonly to: number
  readonly effect: MutableEffect
  labelled: number
}

/** For each number the value that would have been best, if it beats the current one. */
export function suggest(
  histories: readonly (readonly JournalEvent[])[],
  labels: ReadonlyMap<string, Label>,
  policyFor: PolicyLookup,
): readonly Suggestion[] {
  const configs = configsOf(histories.flat())
  const longest = longestCompleted(histories.flat())
  const types = new Set([...configs.values()].flatMap(({ taskType }) => (taskType ? [taskType] : [])))
  const knobs = TUNABLE_NUMBERS.map((knob) => ({
    all: trialsIn(knob, { runs: runsOf(configs, knob) }),
    apart: [...types].map((taskType) => trialsIn(knob, { taskType, runs: runsOf(configs, knob, taskType) })),
  }))
  judge(
    knobs.flatMap(({ all, apart }) => [...all, ...apart.flat()]),
    histories,
    labels,
    policyFor,
  )
  return knobs.flatMap(({ all, apart }) => {
    const best = bestOf(all)
    return [...best, ...apart.flatMap(bestOf).filter(({ to }) => to !== best[0]?.to)]
  })

  function trialsIn(knob: TunableNumber, scope: Scope): readonly Trial[] {
    const last = [...scope.runs].flatMap((run) => configs.get(run) ?? []).at(-1)
    const from = last && numberAt(last, knob.path)
    if (from === undefined || scope.runs.size < MIN_RUNS) return []
    return [...new Set(knob.candidates(from, longest))].map((to) => ({
      knob,
      scope,
      from,
      to,
      effect: { saved: 0, avoided: 0, lost: 0, spared: 0 },
      labelled: 0,
    }))
  }
}

/** Counts what each trial would have changed. All of them share one pass over the events. */
function judge(
  trials: readonly Trial[],
  histories: readonly (readonly JournalEvent[])[],
  labels: ReadonlyMap<string, Label>,
  policyFor: PolicyLookup,
): void {
  const alternatives = trials.map(alternativeOf)
  const shared = sharedConfigs()
  const policies = new Map<Config, ReturnType<PolicyLookup>>()
  const policyOnce: PolicyLookup = (config) => {
    if (!policies.has(config)) policies.set(config, policyFor(config))
    return policies.get(config)
  }
  for (const history of histories)
    for (const results of backtestEach(history.map(shared), alternatives, policyOnce, labels))
      for (const [n, trial] of trials.entries()) {
        const run = results[n]
        if (run === undefined || !trial.scope.runs.has(run.run)) continue
        if (run.label !== undefined) trial.labelled += 1
        add(trial.effect, run)
      }
}

function alternativeOf({ knob, scope, from, to }: Trial): Alternative {
  const config = (recorded: Config): Config =>
    numberAt(recorded, knob.path) === from && isOf(recorded, scope.taskType)
      ? withNumber(recorded, knob.path, to)
      : recorded
  return { name: knob.path.join('.'), config }
}

/** Makes equal configurations one object, so that their policies are made and compared only once. */
function sharedConfigs(): (event: JournalEvent) => JournalEvent {
  const known = new Map<string, Config>()
  return (event) => {
    if (!('config' in event) || event.config === undefined) return event
    const key = JSON.stringify(event.config)
    const config = known.get(key) ?? event.config
    known.set(key, config)
    return { ...event, config }
  }
}

function bestOf(trials: readonly Trial[]): readonly Suggestion[] {
  return trials
    .filter(({ effect, knob }) => isBetter(effect, knob))
    .map(suggestionOf)
    .sort((a, b) => gain(b) - gain(a) || near(a) - near(b))
    .slice(0, 1)
}

function suggestionOf({ knob, scope, from, to, effect, labelled }: Trial): Suggestion {
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

function add(effect: MutableEffect, run: RunBacktest): void {
  const completed = run.recorded?.outcome === 'completed'
  if (run.effect === 'avoided') effect.avoided += 1
  else if (run.effect === 'broken' || run.effect === 'delayed') effect.lost += 1
  else if ((run.effect === 'changed' || run.effect === 'goes-on') && completed) effect.lost += 1
  else if (run.effect === 'goes-on' && run.label === 'good') effect.spared += 1
  if (run.effect === 'avoided' || run.effect === 'cut-short') effect.saved += run.saved.iterations
}

const gain = ({ saved, avoided, lost, spared }: Effect): number => saved + 5 * avoided + 5 * spared - 20 * lost
const near = ({ from, to }: Suggestion): number => Math.abs(to - from)

const isBetter = (each: Effect, { easierWhen }: TunableNumber): boolean =>
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
