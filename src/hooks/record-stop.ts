import { join } from 'node:path'
import type { Loaded } from '../config/load.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { emptyState } from '../core/journal/reduce.ts'
import type { DecidedIteration } from '../core/policy/decide.ts'
import type { Ending, Observation, Outcome } from '../core/types.ts'
import { decideAndRecord, memoryJournal } from '../journal/decide-and-record.ts'
import { openJournal } from '../journal/log.ts'
import { readJournal } from '../journal/read.ts'
import { writeReadableCopy } from '../journal/readable-copy.ts'
import { sessionDir } from '../journal/sessions.ts'
import { calibrationFor } from '../loop/calibration-file.ts'
import { opening } from '../loop/opening.ts'
import { textIn } from './fields.ts'
import type { FoundWorkspace } from './find-workspace.ts'
import { readJsonFile } from './json-file.ts'

export interface Recorded {
  readonly decision: DecidedIteration
  /** The run it belongs to; empty if there is none. */
  readonly run: string
}

export interface StopToRecord {
  readonly place: FoundWorkspace
  readonly loaded: Loaded
  readonly observation: Observation
  readonly now: number
  /** This session's run in the journal, if there is one. */
  readonly run: string
  readonly waitMs: number
  /** The name of the session (`sessionName`). */
  readonly session: string
  /** Ends the run after the decision, for a reason of the hook. */
  after(decided: DecidedIteration): HookEnd | undefined
}

export interface HookEnd {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly reason: string
}

/**
 * Decides about a stop as an iteration of its run, and returns when the decision is on disk. With a goal, that is the goal's run in
 * the workspace's journal. Without one, it is a run in the session's own journal, so that loops and other sessions don't interfere.
 */
export function recordStop(stop: StopToRecord): Recorded {
  const { place, loaded, observation, now, session } = stop
  const ofGoal = place.goal !== undefined
  const dir = ofGoal ? place.stateDir : sessionDir(place.stateDir, session)
  const journal = openJournal(dir, { snapshotEvery: 4, waitMs: stop.waitMs, command: 'hook' })
  try {
    const { state } = journal
    // If the user approved other code in the configuration, it starts another run.
    const otherCode = state.config?.extensions !== loaded.config.extensions
    const over = stop.run === '' || stop.run !== state.run || state.ended !== undefined
    const newRun = !ofGoal && (over || otherCode)
    const about = { loaded, now, newRun, ...calibrationFor(place.stateDir) }
    const opened = opening(state, ofGoal ? about : { ...about, session })
    const resumed: readonly EventInput[] =
      newRun || state.ended === undefined
        ? []
        : [{ type: 'run.resumed', iteration: state.iterations, reason: 'the agent continued and stopped again' }]
    const decision = decideAndRecord(journal, observation, {
      policy: opened.policy,
      now,
      first: [...resumed, ...opened.first],
      eventsAfter(decided) {
        const end = decided.verdict.action === 'stop' ? undefined : stop.after(decided)
        return end === undefined ? [] : [{ type: 'run.ended', ...end, iteration: decided.facts.iteration }]
      },
    })
    // While a run of the workspace is unfinished, the readable copy shows that run.
    if (ofGoal || !isForeign(place.stateDir, readJournal(place.stateDir).state))
      writeReadableCopy(place.workspace, journal.state)
    return { decision, run: journal.state.run ?? '' }
  } finally {
    journal.close()
  }
}

/** The same decision without earlier state, and without recording it. */
export function decideApart(loaded: Loaded, observation: Observation, at: number): DecidedIteration {
  const { policy, first } = opening(emptyState(), { loaded, now: at, newRun: true })
  return decideAndRecord(memoryJournal(), observation, { policy, now: at, first })
}

/** Appends events to the journal, if possible. */
export function noteInJournal(dir: string, events: readonly EventInput[], now: number): void {
  try {
    const journal = openJournal(dir, { snapshotEvery: 4 })
    try {
      journal.append(events, Math.max(now, journal.lastAt))
    } finally {
      journal.close()
    }
  } catch {
    // The agent or the user sees the message anyway.
  }
}

const runFile = (stateDir: string): string => join(stateDir, 'stops', 'run.json')

/** An unfinished run that no hook started. Hooks of earlier releases started runs here and named them in this file. */
export function isForeign(stateDir: string, state: State): boolean {
  if (state.run === undefined || state.ended !== undefined) return false
  const kept = readJsonFile(runFile(stateDir))
  return kept === undefined || kept === 'broken' || textIn(kept, 'run') !== state.run
}
