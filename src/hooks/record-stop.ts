import { join } from 'node:path'
import type { Loaded } from '../config/load.ts'
import { beforeOf } from '../core/journal/before.ts'
import { eventInputsOf } from '../core/journal/event-inputs.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { emptyState, reduce } from '../core/journal/reduce.ts'
import { type DecidedIteration, decideIteration } from '../core/policy/decide-iteration.ts'
import type { Ending, Observation, Outcome } from '../core/types.ts'
import { writeReadableCopy } from '../journal/copy.ts'
import { openJournal } from '../journal/log.ts'
import { taughtIn } from '../loop/calibration-file.ts'
import { opening } from '../loop/opening.ts'
import { textIn } from './fields.ts'
import type { Found } from './find-workspace.ts'
import { readKept, writeKept } from './kept.ts'

export interface Recorded {
  readonly decision: DecidedIteration
  /** The run in which it stands; empty when it stands in none. */
  readonly run: string
}

export interface StopToRecord {
  readonly place: Found
  readonly loaded: Loaded
  readonly observation: Observation
  readonly now: number
  /** The run that this session has in the journal, if it has one. */
  readonly run: string
  readonly waitMs: number
  /** Ends the run after the decision, for a reason that the hook and not the policy has. */
  after(decided: DecidedIteration): HookEnd | undefined
}

export interface HookEnd {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly reason: string
}

/** Decides about a stop as an iteration of its run, and returns when that is on the disk. */
export function recordStop(stop: StopToRecord): Recorded {
  const { place, loaded, observation, now } = stop
  const journal = openJournal(place.stateDir, { snapshotEvery: 4, waitMs: stop.waitMs })
  try {
    const { state } = journal
    const at = Math.max(now, journal.lastAt)
    if (place.goal === undefined && isForeign(place.stateDir, state)) {
      // Somebody's loop is at rest here and will go on. It keeps its run, and only reads that a stop was judged beside it.
      const decided = decideApart(loaded, observation, at)
      journal.append([{ type: 'note', text: `a stop beside the run: ${decided.verdict.reason}` }], at)
      return { decision: decided, run: '' }
    }
    const newRun = place.goal === undefined && (stop.run === '' || stop.run !== state.run || state.ended !== undefined)
    const opened = opening(state, { loaded, now, newRun, ...taughtIn(place.stateDir) })
    const resumed: readonly EventInput[] =
      newRun || state.ended === undefined
        ? []
        : [{ type: 'run.resumed', iteration: state.iterations, reason: 'the agent went on and stopped again' }]
    const first = [...resumed, ...opened.first]
    const decided = decideIteration(beforeOf(fold(state, first, at)), observation, opened.policy, at)
    const end = decided.verdict.action === 'stop' ? undefined : stop.after(decided)
    const ended: readonly EventInput[] =
      end === undefined ? [] : [{ type: 'run.ended', ...end, iteration: decided.facts.iteration }]
    journal.append([...first, ...eventInputsOf(observation, decided), ...ended], at)
    writeReadableCopy(place.workspace, journal.state)
    const run = journal.state.run ?? ''
    if (place.goal === undefined) writeKept(runFile(place.stateDir), { v: 1, run })
    return { decision: decided, run }
  } finally {
    journal.close()
  }
}

/** The same decision with nothing before it and nothing written down. */
export function decideApart(loaded: Loaded, observation: Observation, at: number): DecidedIteration {
  const { policy, first } = opening(emptyState(), { loaded, now: at, newRun: true })
  return decideIteration(beforeOf(fold(emptyState(), first, at)), observation, policy, at)
}

/** Puts something that happened into the journal, as far as that is possible. */
export function noteInJournal({ stateDir }: Found, happenings: readonly EventInput[], now: number): void {
  try {
    const journal = openJournal(stateDir, { snapshotEvery: 4 })
    try {
      journal.append(happenings, Math.max(now, journal.lastAt))
    } finally {
      journal.close()
    }
  } catch {
    // It is said to the agent or the person anyway.
  }
}

const runFile = (stateDir: string): string => join(stateDir, 'stops', 'run.json')

/** An unfinished run that no hook began: somebody will take it up again. */
export function isForeign(stateDir: string, state: State): boolean {
  if (state.run === undefined || state.ended !== undefined) return false
  const kept = readKept(runFile(stateDir))
  return kept === undefined || kept === 'broken' || textIn(kept, 'run') !== state.run
}

function fold(state: State, happenings: readonly EventInput[], at: number): State {
  return happenings.map((each, i) => ({ v: 1, seq: state.seq + 1 + i, at, prev: '', ...each })).reduce(reduce, state)
}
