import { BASE } from '../config/defaults.ts'
import type { Loaded } from '../config/load.ts'
import { pin } from '../config/pinned.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { ownPartsOf } from '../core/own-parts.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Calibration, EvidenceSet, Policy } from '../core/types.ts'
import { JournalError } from '../journal/errors.ts'
import { taughtIn } from './calibration-file.ts'

/** How a run begins or continues: with which configuration, and which events to record first. */
export interface Opening {
  readonly config: Config
  readonly policy: Policy
  /** There is no unfinished run: the first event begins one. */
  readonly fresh: boolean
  readonly first: readonly EventInput[]
  readonly warnings: readonly string[]
}

export interface OpeningOptions {
  readonly loaded: Loaded
  readonly now: number
  readonly newRun: boolean
  /** A person resumes the run, and need not repeat its configuration. */
  readonly resumed?: boolean
  readonly task?: string
  /** For the run of an interactive session: its name, which becomes a part of the run's. */
  readonly session?: string
  /** For a new run: the calibration learned from labelled runs. */
  readonly calibration?: Calibration
}

/** A run keeps the configuration it started with; only flags and environment variables change it. */
export function opening(state: State, options: OpeningOptions): Opening {
  const { loaded, newRun, resumed } = options
  const before = state.base ?? state.config
  const continues = !newRun && before !== undefined && before.preset === loaded.config.preset
  // A run of an earlier release lacks newer settings, and takes those from the defaults.
  const pinned = continues
    ? pin({ ...BASE, ...before }, taught(loaded.config, before.calibration), loaded.sources)
    : undefined
  const config = pinned?.config ?? taught(loaded.config, options.calibration)
  const ignored = pinned?.ignored ?? []
  const isSet = (path: string): boolean => !/^(?:default|preset )/.test(loaded.sources.get(path) ?? 'default')
  const policy = policyFor(config)
  return {
    config,
    policy,
    fresh: !continues,
    first: continues ? changes(config, pinned?.changed ?? []) : [started(state, config, policy, options)],
    warnings: [...loaded.warnings, ...ignoredWords(resumed === true ? ignored.filter(isSet) : ignored)],
  }
}

interface LoopOpeningOptions {
  /** The folder of this workspace's journal. */
  readonly dir: string
  readonly loaded: Loaded
  readonly resume: boolean
  readonly task?: string
}

/** How a loop begins its run, or resumes the one in the journal. */
export function openingOfLoop(state: State, { dir, loaded, resume, task }: LoopOpeningOptions, now: number): Opening {
  if (resume) assertResumable(state, loaded)
  const opened = opening(state, {
    loaded,
    now,
    newRun: !resume,
    resumed: resume,
    ...taughtIn(dir),
    ...(task === undefined ? {} : { task }),
  })
  if (!resume) return unfinishedNoted(opened, state)
  const reason = state.ended === undefined ? 'the process before it was gone' : `it had ended as ${state.ended.ending}`
  return { ...opened, first: [{ type: 'run.resumed', iteration: state.iterations, reason }, ...opened.first] }
}

/** A finished run is not resumed by accident, nor one with other code than it began with. */
function assertResumable({ run, ended, config }: State, loaded: Loaded): void {
  if (run === undefined || config === undefined)
    throw new JournalError('there is no run to resume here; start one with `exitgate run` without --resume', 64)
  if (ended?.outcome === 'completed')
    throw new JournalError(
      `the run ${run} is finished (${ended.outcome}/${ended.ending}); start another one with \`exitgate run\` without --resume`,
      64,
    )
  ownPartsOf(config)
  if (config.preset !== loaded.config.preset)
    throw new JournalError(
      `the run ${run} follows the preset "${config.preset}", not "${loaded.config.preset}"; resume it with --preset ${config.preset}`,
      64,
    )
}

function unfinishedNoted(opened: Opening, { run, ended, iterations, config }: State): Opening {
  if (run === undefined || ended !== undefined || config === undefined) return opened
  const text = `the run ${run} was left unfinished after ${iterations} iterations; this is a new one, --resume would have gone on with it`
  return { ...opened, warnings: [...opened.warnings, text] }
}

/** The baseline belongs to the event that begins the run. */
export function withBaseline(
  first: readonly EventInput[],
  baseline: EvidenceSet,
  baselineId: string | undefined,
  sandbox?: string,
): readonly EventInput[] {
  const more = { ...(baselineId === undefined ? {} : { baselineId }), ...(sandbox === undefined ? {} : { sandbox }) }
  return first.map((event) => (event.type === 'run.started' ? { ...event, baseline, ...more } : event))
}

const taught = (config: Config, calibration: Calibration | undefined): Config =>
  calibration === undefined ? config : { ...config, calibration }

const changes = (config: Config, paths: readonly string[]): readonly EventInput[] =>
  paths.length === 0 ? [] : [{ type: 'config.changed', config, paths }]

function started(state: State, config: Config, policy: Policy, { now, task, session }: OpeningOptions): EventInput {
  const time = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  const phase = policy.phases?.[0]
  const same = state.base === undefined && JSON.stringify(config) === JSON.stringify(state.config)
  return {
    type: 'run.started',
    run: `${time}-${state.totals.runs + 1}${session === undefined ? '' : `-${session}`}`,
    ...(same ? {} : { config }),
    ...(task === undefined ? {} : { task }),
    ...(phase === undefined ? {} : { phase }),
  }
}

function ignoredWords(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return []
  return [
    `the configuration changed since the run started (${paths.join(', ')}); the run keeps what it started with, \`exitgate reset\` takes the new one`,
  ]
}
