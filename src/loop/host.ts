import type { Config } from '../core/config.ts'
import type { Decided, EventInput, State } from '../core/journal/events.ts'
import type { BreakerChoice, LoopEvent, PlanProgress, Task } from '../core/run.ts'
import type { EvidenceSet, Observation, Verdict } from '../core/types.ts'
import type { AgentRun } from './agent/call.ts'
import type { SharedAnswer, Start } from './shared-limits.ts'

/** The situation before an iteration starts. */
export interface Ready {
  readonly at: number
  /** The next task; absent if there is no list of tasks, or all are done. */
  readonly task?: Task
  /** The plan the task comes from. */
  readonly plan?: PlanProgress
  /** The configuration for that task, if it differs from the current one. */
  readonly config?: Config
  /** The workspace is not the folder any more that the run began in: nothing can run there. */
  readonly workspaceProblem?: string
  /** The answer of the limits that this run shares with others, if there are any and a start is planned. */
  readonly shared?: SharedAnswer
}

/**
 * The world as the loop sees it; `local-host.ts` is the one of a single machine. Each call is the inside of one step, so that an
 * engine which plays a run again from its kept steps meets no clock and no file in between.
 */
export interface Host {
  emit(event: LoopEvent): void
  /** Ends what a dead run left running, takes the baseline of a new run, records its start. Undefined if that was interrupted. */
  begin(signal: AbortSignal): Promise<{ readonly state: State } | undefined>
  /** The situation now. `start` is the start of the agent that would follow; absent if none is planned. */
  ready(state: State, start?: Start): Promise<Ready>
  /** Appends events to the journal, and returns the state after them. */
  record(events: readonly EventInput[]): Promise<State>
  /** Starts the agent once and waits for its end, which is at `at`. */
  agent(call: AgentStart, signal: AbortSignal): Promise<AgentRun & { readonly at: number }>
  gatherEvidence(call: EvidenceCall, signal: AbortSignal): Promise<GatheredEvidence>
  /** Decides and records; then writes the readable copies and the files of older tools. */
  decideAndRecord(observation: Observation): Promise<{ readonly verdict: Verdict; readonly state: State }>
  /** Waits, or until the signal is aborted, and returns the time. */
  wait(until: number | undefined, signal: AbortSignal): Promise<number>
  /** Asks the person at the terminal; absent where there is none. */
  menu?(state: State, verdict: Decided | undefined, signal: AbortSignal): Promise<BreakerChoice>
}

export interface AgentStart {
  readonly iteration: number
  readonly attempt: number
  readonly prompt: string
  /** The agent's own session to continue. */
  readonly session?: string
}

export interface EvidenceCall {
  readonly claim: boolean
  readonly task?: string
  /** Tasks a person has taken off the list. */
  readonly skipped: readonly string[]
}

export interface GatheredEvidence {
  readonly evidence: EvidenceSet
  readonly problems: readonly string[]
  readonly ms: number
}
