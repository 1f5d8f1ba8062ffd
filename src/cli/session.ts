import type { Loaded } from '../config/load.ts'
import { pin } from '../config/pinned.ts'
import type { Config } from '../config/types.ts'
import { beforeOf } from '../journal/before.ts'
import type { Happening, State } from '../journal/events.ts'
import { happeningsOf } from '../journal/happenings.ts'
import { type Journal, openJournal } from '../journal/log.ts'
import { emptyState, reduce } from '../journal/reduce.ts'
import { type Step, step } from '../policy/step.ts'
import { policyFor } from '../presets/index.ts'
import type { EvidenceSet, Observation, Policy } from '../types.ts'

export interface SessionOptions {
  readonly dir: string
  readonly loaded: Loaded
  readonly now: number
  /** False decides on an empty state and writes nothing. */
  readonly record: boolean
  readonly newRun: boolean
  readonly task?: string
}

/** One run of a workspace, open for decisions: state in front, journal behind. */
export interface Session {
  readonly config: Config
  readonly policy: Policy
  readonly state: State
  /** Whether there is no run yet that goes on: the first decision begins one. */
  readonly fresh: boolean
  readonly warnings: readonly string[]
  /** Begin the run without deciding anything, with what was so before it. */
  begin(baseline?: EvidenceSet, baselineId?: string): void
  /** Decide about an iteration, and return when the decision is on the disk. */
  decide(observation: Observation): Step
  close(): void
}

export function openSession(options: SessionOptions): Session {
  const journal = options.record ? openJournal(options.dir, { snapshotEvery: 4 }) : memoryJournal()
  try {
    return prepare(journal, options)
  } catch (error) {
    journal.close()
    throw error
  }
}

type Recorder = Pick<Journal, 'state' | 'lastAt' | 'problems' | 'append' | 'close'>

function prepare(journal: Recorder, { loaded, now, newRun, task }: SessionOptions): Session {
  const { state } = journal
  const goesOn =
    !newRun && state.config !== undefined && state.ended === undefined && state.config.preset === loaded.config.preset
  const pinned = goesOn && state.config ? pin(state.config, loaded.config, loaded.sources) : undefined
  const config = pinned?.config ?? loaded.config
  const policy = policyFor(config)
  // The journal never goes back in time, so the decision is taken at the time that will stand there.
  const at = Math.max(now, journal.lastAt)
  let first: readonly Happening[] = []
  if (!goesOn)
    first = [
      started(
        JSON.stringify(config) === JSON.stringify(state.config) ? undefined : config,
        policy,
        now,
        state.totals.runs + 1,
        task,
      ),
    ]
  else if (pinned && pinned.changed.length > 0) first = [{ type: 'config.changed', config, paths: pinned.changed }]
  return {
    config,
    policy,
    get state() {
      return journal.state
    },
    fresh: !goesOn,
    warnings: [...loaded.warnings, ...ignoredWords(pinned?.ignored ?? [])],
    begin(baseline, baselineId) {
      journal.append(
        first.map((each) =>
          each.type === 'run.started' && baseline
            ? { ...each, baseline, ...(baselineId === undefined ? {} : { baselineId }) }
            : each,
        ),
        at,
      )
      first = []
    },
    decide(observation) {
      const before = beforeOf(fold(journal.state, first, at))
      const decided = step(before, observation, policy, at)
      // Together in one append: a run that began is on the disk only with its first decision.
      journal.append([...first, ...happeningsOf(observation, decided)], at)
      first = []
      return decided
    },
    close: () => journal.close(),
  }
}

function fold(state: State, happenings: readonly Happening[], at: number): State {
  return happenings
    .map((happening, i) => ({ v: 1, seq: state.seq + 1 + i, at, prev: '', ...happening }))
    .reduce(reduce, state)
}

function started(
  config: Config | undefined,
  policy: Policy,
  now: number,
  nth: number,
  task: string | undefined,
): Happening {
  const phase = policy.phases?.[0]
  return {
    type: 'run.started',
    run: `${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}-${nth}`,
    ...(config === undefined ? {} : { config }),
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

/** For `--no-record`: the same fold with nothing behind it. */
function memoryJournal(): Recorder {
  let state = emptyState()
  return {
    get state() {
      return state
    },
    lastAt: 0,
    problems: [],
    append(happenings, at) {
      state = fold(state, happenings, at)
      return []
    },
    close() {},
  }
}
