import { BASE } from '../config/defaults.ts'
import type { Loaded } from '../config/load.ts'
import { pin } from '../config/pinned.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Calibration, Policy } from '../core/types.ts'

/** How a run begins or goes on: with which configuration, and what is to be written down first. */
export interface Opening {
  readonly config: Config
  readonly policy: Policy
  /** There is no run that goes on: the first event begins one. */
  readonly fresh: boolean
  readonly first: readonly EventInput[]
  readonly warnings: readonly string[]
}

export interface OpeningOptions {
  readonly loaded: Loaded
  readonly now: number
  readonly newRun: boolean
  /** A person takes the run up again, and need not say again what the run knows. */
  readonly resumed?: boolean
  readonly task?: string
  /** For a run that begins here: what labelled runs have taught until now. */
  readonly calibration?: Calibration
}

/** A run keeps the configuration it started with; only what the person says with flags or environment changes it. */
export function opening(state: State, options: OpeningOptions): Opening {
  const { loaded, now, newRun, resumed, task } = options
  const before = state.base ?? state.config
  const goesOn = !newRun && before !== undefined && before.preset === loaded.config.preset
  // A run of an earlier release lacks what came since, and takes that from the defaults.
  const pinned = goesOn
    ? pin({ ...BASE, ...before }, taught(loaded.config, before.calibration), loaded.sources)
    : undefined
  const config = pinned?.config ?? taught(loaded.config, options.calibration)
  const ignored = pinned?.ignored ?? []
  const isSet = (path: string): boolean => !/^(?:default|preset )/.test(loaded.sources.get(path) ?? 'default')
  const policy = policyFor(config)
  return {
    config,
    policy,
    fresh: !goesOn,
    first: goesOn ? changes(config, pinned?.changed ?? []) : [started(state, config, policy, now, task)],
    warnings: [...loaded.warnings, ...ignoredWords(resumed === true ? ignored.filter(isSet) : ignored)],
  }
}

const taught = (config: Config, calibration: Calibration | undefined): Config =>
  calibration === undefined ? config : { ...config, calibration }

const changes = (config: Config, paths: readonly string[]): readonly EventInput[] =>
  paths.length === 0 ? [] : [{ type: 'config.changed', config, paths }]

function started(state: State, config: Config, policy: Policy, now: number, task: string | undefined): EventInput {
  const phase = policy.phases?.[0]
  const same = state.base === undefined && JSON.stringify(config) === JSON.stringify(state.config)
  return {
    type: 'run.started',
    run: `${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}-${state.totals.runs + 1}`,
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
