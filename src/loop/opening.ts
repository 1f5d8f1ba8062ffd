import { type StoredSession, storedSession } from '../compat/index.ts'
import { BASE } from '../config/defaults.ts'
import type { Loaded } from '../config/load.ts'
import { withoutSecrets } from '../config/notify-secrets.ts'
import { pin } from '../config/pinned.ts'
import type { Config } from '../core/config.ts'
import { count } from '../core/count.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { ownPartsOf } from '../core/own-parts.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Calibration, EvidenceSet, Policy } from '../core/types.ts'
import { openWorkspace } from '../evidence/workspace.ts'
import { JournalError } from '../journal/errors.ts'
import { calibrationFor } from './calibration-file.ts'

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

interface LoopOpeningOptions {
  /** The folder of this workspace's journal. */
  readonly dir: string
  readonly loaded: Loaded
  readonly workspace: string
  readonly resume: boolean
  readonly task?: string
}

/** How a loop starts its run, or resumes the one in the journal. */
export function openingOfLoop(state: State, options: LoopOpeningOptions, now: number): Opening {
  const { dir, loaded, resume, task } = options
  const stored = resume && state.run === undefined ? sessionToResume(options) : undefined
  if (stored !== undefined) {
    const { file, id, phase } = stored
    const opened = opening(state, { loaded, now, newRun: true, phase, ...(task === undefined ? {} : { task }) })
    const text = `Resuming the session ${id} of ${file} in phase ${phase}. exitgate did not verify the phases before it.`
    return { ...opened, warnings: [...opened.warnings, text] }
  }
  if (resume) assertResumable(state, loaded)
  const opened = opening(state, {
    loaded,
    now,
    newRun: !resume,
    resumed: resume,
    ...calibrationFor(dir),
    ...(task === undefined ? {} : { task }),
  })
  if (!resume) return unfinishedNoted(opened, state)
  const reason = state.ended === undefined ? 'the previous process was gone' : `it had ended as ${state.ended.ending}`
  return { ...opened, first: [{ type: 'run.resumed', iteration: state.iterations, reason }, ...opened.first] }
}

/** A session of an older system, for a workspace without a journal. */
function sessionToResume({ workspace, loaded, task }: LoopOpeningOptions): StoredSession | undefined {
  const stored = storedSession(loaded.config, task, openWorkspace(workspace).read)
  const known = policyFor(loaded.config).phases ?? []
  const problem =
    stored !== undefined && stored.problem === undefined && !known.includes(stored.phase)
      ? `its phase ${stored.phase} is turned off here`
      : stored?.problem
  if (stored !== undefined && problem !== undefined)
    throw new JournalError(
      `The session in ${stored.file} can't be resumed: ${problem}. Start a new run with \`exitgate run\` without --resume.`,
      64,
    )
  return stored
}

/** Refuses to resume a finished run, or one with other code than it started with. */
function assertResumable({ run, ended, config }: State, loaded: Loaded): void {
  if (run === undefined || config === undefined)
    throw new JournalError('There is no run to resume here. Start one with `exitgate run` without --resume.', 64)
  if (ended?.outcome === 'completed')
    throw new JournalError(
      `The run ${run} is finished (${ended.outcome}/${ended.ending}). Start a new one with \`exitgate run\` without --resume.`,
      64,
    )
  ownPartsOf(config)
  if (config.preset !== loaded.config.preset)
    throw new JournalError(
      `The run ${run} uses the preset "${config.preset}", not "${loaded.config.preset}". Resume it with --preset ${config.preset}.`,
      64,
    )
}

function unfinishedNoted(opened: Opening, { run, ended, iterations, config }: State): Opening {
  if (run === undefined || ended !== undefined || config === undefined) return opened
  const text = `The run ${run} was left unfinished after ${count(iterations, 'iteration')}. This is a new run. To continue the old one, use --resume.`
  return { ...opened, warnings: [...opened.warnings, text] }
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
