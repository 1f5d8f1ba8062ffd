import type { Loaded } from '../config/load.ts'
import type { Config } from '../core/config.ts'
import { beforeOf } from '../core/journal/before.ts'
import { eventInputsOf } from '../core/journal/event-inputs.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { emptyState, reduce } from '../core/journal/reduce.ts'
import { type DecidedIteration, decideIteration } from '../core/policy/decide-iteration.ts'
import type { EvidenceSet, Observation, Policy } from '../core/types.ts'
import { type Journal, openJournal } from '../journal/log.ts'
import { taughtIn } from './calibration-file.ts'
import { opening } from './opening.ts'

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
  decide(observation: Observation): DecidedIteration
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

function prepare(journal: Recorder, options: SessionOptions): Session {
  const { state } = journal
  const {
    config,
    policy,
    fresh,
    first: opened,
    warnings,
  } = opening(state, {
    ...options,
    ...(options.record ? taughtIn(options.dir) : {}),
    newRun: options.newRun || state.ended !== undefined,
  })
  // The journal never goes back in time, so the decision is taken at the time that will stand there.
  const at = Math.max(options.now, journal.lastAt)
  let first = opened
  return {
    config,
    policy,
    get state() {
      return journal.state
    },
    fresh,
    warnings,
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
      const decided = decideIteration(before, observation, policy, at)
      // Together in one append: a run that began is on the disk only with its first decision.
      journal.append([...first, ...eventInputsOf(observation, decided)], at)
      first = []
      return decided
    },
    close: () => journal.close(),
  }
}

function fold(state: State, happenings: readonly EventInput[], at: number): State {
  return happenings
    .map((happening, i) => ({ v: 1, seq: state.seq + 1 + i, at, prev: '', ...happening }))
    .reduce(reduce, state)
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
