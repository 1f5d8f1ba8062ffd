import type { Loaded } from '../config/load.ts'
import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import type { DecidedIteration } from '../core/policy/decide-iteration.ts'
import type { EvidenceSet, Observation, Policy } from '../core/types.ts'
import { type DecisionJournal, decideAndRecord, memoryJournal } from '../journal/decide-and-record.ts'
import { openJournal } from '../journal/log.ts'
import { taughtIn } from '../loop/calibration-file.ts'
import { opening } from '../loop/opening.ts'

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
  if (!options.record) return prepare(memoryJournal(), () => {}, options)
  const journal = openJournal(options.dir, { snapshotEvery: 4 })
  try {
    return prepare(journal, journal.close, options)
  } catch (error) {
    journal.close()
    throw error
  }
}

function prepare(journal: DecisionJournal, close: () => void, options: SessionOptions): Session {
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
  const { now } = options
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
        now,
      )
      first = []
    },
    decide(observation) {
      const decided = decideAndRecord(journal, observation, { policy, now, first })
      first = []
      return decided
    },
    close,
  }
}
