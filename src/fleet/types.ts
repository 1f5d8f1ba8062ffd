import type { Found } from '../config/find.ts'
import type { RunConfig } from '../core/config.ts'
import type { Control, LoopEvent } from '../core/run.ts'
import type { Ending, Outcome, Verdict } from '../core/types.ts'
import type { ConfiguredAgent } from '../loop/start-agent.ts'
import type { WorkerFile } from './worker-file.ts'

/** Where a run of the fleet stands. `queued`: a worker gave it back, and any other one may go on with it. */
export type RunStanding = 'queued' | 'running' | 'ended'

/** How a run of the fleet ended, as the database keeps it. */
export interface FleetEnd {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly reason: string
  readonly iterations: number
  readonly usd: number
  readonly tokens: number
  /** Where its work lies in the repository; absent when there is none. */
  readonly branch?: string
}

/** What a worker has to know before it sits down to a run. */
export interface Claimed {
  readonly run: string
  /** Counts the workers a run has had: whatever an earlier one still wants to write is refused. */
  readonly epoch: number
  /** The worker it was taken from; absent when the run is new or was given back. */
  readonly from?: string
}

/** Everything a worker does and sees, as one union. */
export type FleetEvent =
  | { readonly type: 'worker'; readonly worker: string; readonly queue: string; readonly at: number }
  | {
      readonly type: 'claimed'
      readonly run: string
      readonly epoch: number
      readonly from?: string
      readonly at: number
    }
  | { readonly type: 'loop'; readonly run: string; readonly event: LoopEvent }
  /** The run is somebody else's now; nothing of what was done here since the last step counts. */
  | { readonly type: 'lost'; readonly run: string; readonly why: string; readonly at: number }
  | { readonly type: 'given-back'; readonly run: string; readonly at: number }
  | { readonly type: 'ended'; readonly run: string; readonly end: FleetEnd; readonly at: number }
  | { readonly type: 'draining'; readonly runs: number; readonly at: number }
  | { readonly type: 'warning'; readonly text: string; readonly at: number }

export interface WorkerOptions {
  readonly url: string
  readonly queue: string
  /** Runs at once. */
  readonly concurrency: number
  /** Seconds of silence after which the others take this worker's runs. */
  readonly leaseSeconds?: number
  /** Clones and state folders lie here; whatever an earlier worker left in it is ended and removed. */
  readonly folder: string
  readonly file: WorkerFile
  /** The worker's own environment: the agent sees of it only what the file names. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** How an agent is started; what an agent's name means is the caller's to know. */
  agentOf(options: {
    readonly config: RunConfig
    readonly workspace: string
    readonly env: Readonly<Record<string, string | undefined>>
  }): ConfiguredAgent
  now(): number
  tell(event: FleetEvent): void
  /** Asks the worker to give its runs back after the iterations at hand, and to end. */
  readonly drain?: AbortSignal
  /** Asks it to end its agents and itself at once; others go on from the last step. */
  readonly stop?: AbortSignal
}

export interface WorkerEnd {
  /** Runs that ended here. */
  readonly ended: number
  readonly givenBack: number
}

/** Which keys turned in the last iteration, and what was first missing. */
export interface LastVerdict {
  readonly gate: Verdict['gate']
  readonly missing?: string
}

/** One line of `fleet status`. */
export interface RunRow {
  readonly run: string
  readonly task: string
  readonly title: string
  readonly queue: string
  readonly standing: RunStanding
  readonly epoch: number
  readonly worker?: string
  readonly iterations: number
  /** As of its last step. */
  readonly usd: number
  readonly verdict?: LastVerdict
  readonly startedAt: number
  readonly endedAt?: number
  readonly end?: FleetEnd
}

export interface TaskCounts {
  readonly queue: string
  readonly waiting: number
  readonly ready: number
  readonly running: number
  readonly completed: number
  readonly failed: number
  readonly blocked: number
}

export interface WorkerRow {
  readonly worker: string
  readonly host: string
  readonly queue: string
  readonly concurrency: number
  readonly running: number
  readonly draining: boolean
  /** Since its last sign of life, by the clock of the database. */
  readonly silentMs: number
}

export interface LimitRow {
  readonly kind: LimitKind
  readonly name: string
  readonly atOnce?: number
  readonly callsPerHour?: number
}
export type LimitKind = 'queue' | 'repository' | 'key'

export interface FleetStatus {
  readonly queues: readonly TaskCounts[]
  /** Running ones first, then the newest; at most so many as were asked for. */
  readonly runs: readonly RunRow[]
  /** Tasks that will not run, each with the one it waited for. */
  readonly blocked: readonly { readonly task: string; readonly queue: string; readonly reason: string }[]
  readonly workers: readonly WorkerRow[]
  readonly limits: readonly LimitRow[]
}

export interface Submitted {
  readonly queue: string
  readonly tasks: readonly { readonly task: string; readonly standing: 'waiting' | 'ready' }[]
}

/** What a person may ask of a run of the fleet. */
export type FleetControl = Control

/** What a run is held to from its beginning: the repository's configuration as it stood at the base, and the plan as last seen. */
export interface Pinned {
  readonly found?: Found
  readonly commit: string
}
