import type { Loaded } from '../config/load.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import type { DecidedIteration } from '../core/policy/decide.ts'
import type { EvidenceSet, Observation, Policy } from '../core/types.ts'
import { removeCaches } from '../evidence/clean-room/build-caches.ts'
import { type DecisionJournal, decideAndRecord } from '../journal/decide-and-record.ts'
import { JournalError } from '../journal/errors.ts'
import { openJournalAsync } from '../journal/log.ts'
import { calibrationFor } from './calibration-file.ts'
import { opening, withBaseline } from './opening.ts'

export interface SessionOptions {
  readonly dir: string
  readonly loaded: Loaded
  /** Called once this caller has the journal. */
  now(): number
  /** How long to wait for other callers, in ms. */
  readonly waitMs?: number
  /** Called with who holds the journal, if waiting takes long. */
  readonly onWait?: (text: string) => void
  /** Decide on this journal, and write nothing. */
  readonly journal?: DecisionJournal
  readonly newRun: boolean
  /** Only a run that `begin` started is continued. */
  readonly begins?: boolean | undefined
  readonly task?: string
}

/** One run of a workspace whose decisions are made one by one, as by `check`. */
export interface Session {
  readonly config: Config
  readonly policy: Policy
  readonly state: State
  /** There is no unfinished run: the first decision starts one. */
  readonly fresh: boolean
  readonly warnings: readonly string[]
  /** Starts the run without a decision, with the evidence of the baseline, if any was gathered. */
  begin(baseline: EvidenceSet, baselineId?: string): void
  /** Records the stored tree that a new run compares with when it starts. */
  pin(baselineId: string): void
  /** Records what follows from a decision. */
  append(events: readonly EventInput[]): void
  /** Decides an iteration. When this returns, the decision is in the journal. */
  decide(observation: Observation): DecidedIteration
  close(): void
}

/** Callers take turns: until `close`, no other caller gathers evidence or decides in this workspace. */
export async function openSession(options: SessionOptions): Promise<Session> {
  if (options.journal !== undefined) return prepare(options.journal, () => {}, options)
  const { dir, waitMs, onWait } = options
  const journal = await openJournalAsync(dir, {
    snapshotEvery: 4,
    command: 'check',
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(onWait === undefined ? {} : { onWait }),
  })
  try {
    return prepare(journal, journal.close, options)
  } catch (error) {
    journal.close()
    throw error
  }
}

function prepare(journal: DecisionJournal, close: () => void, options: SessionOptions): Session {
  const { state } = journal
  const { dir, begins } = options
  if (!options.newRun) refuseRunOfLoop(state, begins)
  const newRun = options.newRun || (begins === true && state.baseline === undefined)
  const now = options.now()
  const taught = options.journal === undefined ? calibrationFor(dir) : {}
  const opened = opening(state, { ...options, now, ...taught, newRun: newRun || state.ended !== undefined })
  const { config, policy, fresh, warnings } = opened
  let { first } = opened
  return {
    config,
    policy,
    get state() {
      return journal.state
    },
    fresh,
    warnings,
    begin(baseline, baselineId) {
      journal.append(withBaseline(first, baseline, baselineId), now)
      first = []
    },
    pin(baselineId) {
      first = first.map((event) => (event.type === 'run.started' ? { ...event, baselineId } : event))
    },
    append(events) {
      journal.append(events, now)
    },
    decide(observation) {
      const decided = decideAndRecord(journal, observation, { policy, now, first })
      first = []
      return decided
    },
    close() {
      if (options.journal === undefined && journal.state.ended !== undefined) removeCaches(dir)
      close()
    },
  }
}

/**
 * Only its loop decides a run, with its own agent and checks. A process that ended the loop could pass other evidence here. Only loops
 * start iterations, so a run with an attempt belongs to one.
 */
function refuseRunOfLoop({ run, ended, attempt }: State, begins: boolean | undefined): void {
  if (run === undefined || ended !== undefined || attempt === undefined) return
  const otherwise = begins
    ? 'or start over with exitgate reset.'
    : 'check without recording with --no-record, or start a new run with --new-run.'
  throw new JournalError(
    `Run ${run} of exitgate run is not finished, and nothing else decides it. Continue it with exitgate run --resume, ${otherwise}`,
    64,
  )
}
