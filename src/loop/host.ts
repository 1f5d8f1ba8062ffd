import type { Config } from '../core/config.ts'
import type { Decided, EventInput, State } from '../core/journal/events.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import type { BreakerChoice, PlanProgress, RunEnd, Task } from '../core/run.ts'
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
  /** The workspace is no longer the folder that the run started in, so nothing can run there. */
  readonly workspaceProblem?: string
  /** The answer of the shared limits, if there are any and a start is planned. */
  readonly shared?: SharedAnswer
}

/**
 * Everything the loop does to the outside world; `local-host.ts` implements it for one machine. Each call runs inside one step, so
 * that an engine can replay a run from its stored steps without touching a clock or a file.
 */
export interface Host {
  emit(event: LoopEvent): void
  /**
   * Ends leftover processes of a dead run, takes the baseline of a new run, records its start. Undefined if interrupted; an end if no run
   * was started.
   */
  begin(signal: AbortSignal): Promise<{ readonly state: State } | { readonly end: RunEnd } | undefined>
  /** The current situation. `start` identifies the next start of the agent; absent if none is planned. */
  ready(state: State, start?: Start): Promise<Ready>
  /** Appends events to the journal, and returns the state after them. */
  record(events: readonly EventInput[]): Promise<State>
  /** Starts the agent once and waits until it ends; `at` is the time of its end. */
  agent(call: AgentStart, signal: AbortSignal): Promise<AgentRun & { readonly at: number }>
  gatherEvidence(call: EvidenceCall, signal: AbortSignal): Promise<GatheredEvidence>
  /** Decides and records; then writes the readable copies and the files of older tools. */
  decideAndRecord(observation: Observation): Promise<{ readonly verdict: Verdict; readonly state: State }>
  /** Waits until this time or until the signal is aborted, and returns the current time. */
  wait(until: number | undefined, signal: AbortSignal): Promise<number>
  /** Asks the user at the terminal; absent without a terminal. */
  menu?(state: State, verdict: Decided | undefined, signal: AbortSignal): Promise<BreakerChoice>
}

/**
 * Asks at the terminal whether tests that already fail are accepted. Undefined if you interrupt it. Without an answer, they must pass.
 */
export type AskFailing = (failing: readonly string[], signal: AbortSignal) => Promise<boolean | undefined>

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
  /** Tasks that the user skipped. */
  readonly skipped: readonly string[]
}

export interface GatheredEvidence {
  readonly evidence: EvidenceSet
  readonly problems: readonly string[]
  readonly ms: number
}
