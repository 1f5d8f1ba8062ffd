import type { Config } from '../core/config.ts'
import type { Decided, EventInput, State } from '../core/journal/events.ts'
import type { AgentResult, BreakerChoice, LoopEvent, Task } from '../core/run.ts'
import type { BreakerTransition, EvidenceSet, Observation, Verdict } from '../core/types.ts'
import type { SharedAnswer, Start } from './shared-limits.ts'

/** What the loop finds when it begins or goes on; undefined when it was interrupted before there was a run. */
export interface Begun {
  readonly state: State
  readonly at: number
}

/** What is so before an iteration starts. */
export interface Ready {
  readonly at: number
  /** What is to be done next; absent when nothing is listed, or nothing is left. */
  readonly task?: Task
  /** The configuration by which that task is judged, where it is another one than that in force. */
  readonly config?: Config
  /** What the limits say that this run shares with others, where there are such and a start was asked for. */
  readonly shared?: SharedAnswer
}

/** One decision, on the disk already. */
export interface DecidedIteration {
  readonly verdict: Verdict
  readonly transitions: readonly BreakerTransition[]
  readonly state: State
  readonly at: number
}

/**
 * The world as the loop sees it; `local-host.ts` is the one of a single machine. Each call is the inside of one step, so that an
 * engine which plays a run again from its kept steps meets no clock and no file in between.
 */
export interface Host {
  tell(event: LoopEvent): void
  /** Opens the journal, ends what a dead run left behind, takes the baseline of a new run. */
  begin(signal: AbortSignal): Promise<Begun | undefined>
  /** What is so now. `start` is the start of an agent that would follow; without it nothing is to be started. */
  ready(state: State, start?: Start): Promise<Ready>
  /** Puts happenings into the journal, and gives back the state they make. */
  record(happenings: readonly EventInput[]): Promise<State>
  /** One start of the agent with this prompt. */
  agent(call: AgentStart, signal: AbortSignal): Promise<AgentResult>
  evidence(call: EvidenceCall, signal: AbortSignal): Promise<GatheredEvidence>
  /** Decides, records, and writes what people and the older systems look for. */
  decide(observation: Observation): Promise<DecidedIteration>
  /** Waits, is over early when the signal says so, and tells the time it is then. */
  wait(until: number | undefined, signal: AbortSignal): Promise<number>
  /** Asks the person at the terminal; absent where there is none. */
  menu?(state: State, verdict: Decided | undefined, signal: AbortSignal): Promise<BreakerChoice>
}

export interface AgentStart {
  readonly iteration: number
  readonly attempt: number
  readonly prompt: string
  /** The agent's own session to go on with. */
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
