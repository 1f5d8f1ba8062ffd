import { BASE } from '../config/defaults.ts'
import type { Loaded } from '../config/load.ts'
import { withoutSecrets } from '../config/notify-secrets.ts'
import { pin } from '../config/pinned.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Calibration, EvidenceSet, Policy } from '../core/types.ts'

/** How a run starts or continues: its configuration, and the events to record first. */
export interface Opening {
  readonly config: Config
  readonly policy: Policy
  /** There is no unfinished run: the first event starts one. */
  readonly fresh: boolean
  readonly first: readonly EventInput[]
  readonly warnings: readonly string[]
}

export interface OpeningOptions {
  readonly loaded: Loaded
  readonly now: number
  readonly newRun: boolean
  /** The user resumes the run, so the configuration need not be repeated. */
  readonly resumed?: boolean
  readonly task?: string
  /** For the run of an interactive session: the session's name, which becomes part of the run's name. */
  readonly session?: string
  /** For a new run: the calibration learned from labelled runs. */
  readonly calibration?: Calibration
  /** For a new run that continues a session of an older system: its phase. */
  readonly phase?: string
}

/** A run keeps the configuration it started with; only flags and environment variables change it. */
export function opening(state: State, options: OpeningOptions): Opening {
  const { newRun, resumed } = options
  const loaded = { ...options.loaded, config: withoutSecrets(options.loaded.config) }
  const before = state.base ?? state.config
  const continues = !newRun && before !== undefined && before.preset === loaded.config.preset
  // A run of an earlier release lacks newer settings, which come from the defaults.
  const pinned = continues
    ? pin(withoutSecrets({ ...BASE, ...before }), withCalibration(loaded.config, before.calibration), loaded.sources)
    : undefined
  const config = pinned?.config ?? withCalibration(loaded.config, options.calibration)
  const ignored = pinned?.ignored ?? []
  const isSet = (path: string): boolean => !/^(?:default|preset |found )/.test(loaded.sources.get(path) ?? 'default')
  const policy = policyFor(config)
  return {
    config,
    policy,
    fresh: !continues,
    first: continues ? changes(config, pinned?.changed ?? []) : [started(state, config, policy, options)],
    // exitgate may have found the plan of the run, or another one since then.
    warnings: [
      ...loaded.warnings,
      ...ignoredWarning(ignored.filter((path) => isSet(path) || (resumed !== true && path !== 'plan'))),
    ],
  }
}

/** Adds the baseline to the event that starts the run. */
export function withBaseline(
  first: readonly EventInput[],
  baseline: EvidenceSet,
  baselineId: string | undefined,
  sandbox?: string,
  remote?: boolean,
): readonly EventInput[] {
  const more = {
    ...(baselineId === undefined ? {} : { baselineId }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(remote === true ? { remote } : {}),
  }
  return first.map((event) => (event.type === 'run.started' ? { ...event, baseline, ...more } : event))
}

const withCalibration = (config: Config, calibration: Calibration | undefined): Config =>
  calibration === undefined ? config : { ...config, calibration }

const changes = (config: Config, paths: readonly string[]): readonly EventInput[] =>
  paths.length === 0 ? [] : [{ type: 'config.changed', config, paths }]

function started(
  state: State,
  config: Config,
  policy: Policy,
  { now, task, session, loaded, phase = policy.phases?.[0] }: OpeningOptions,
): EventInput {
  const time = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  const same = state.base === undefined && JSON.stringify(config) === JSON.stringify(state.config)
  return {
    type: 'run.started',
    run: `${time}-${state.totals.runs + 1}${session === undefined ? '' : `-${session}`}`,
    ...(same ? {} : { config }),
    ...(loaded.code === undefined ? {} : { code: loaded.code }),
    ...(loaded.file === undefined ? {} : { configFile: loaded.file }),
    ...(task === undefined ? {} : { task }),
    ...(phase === undefined ? {} : { phase }),
  }
}

function ignoredWarning(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return []
  return [
    `The configuration changed since the run started (${paths.join(', ')}). The run keeps the old values. Use \`exitgate reset\` to start over with the new ones.`,
  ]
}
