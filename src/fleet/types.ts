import type { Found } from '../config/find.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import type { Control } from '../core/run.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { Ending, Outcome, Verdict } from '../core/types.ts'
import type { ConfiguredAgent } from '../loop/start-agent.ts'
import type { WorkerFile } from './worker-file.ts'

/** Status of a run. `queued` means a worker gave it back, and any other worker may continue it. */
export type RunStatus = 'queued' | 'running' | 'ended'

/** How a run of the fleet ended, as stored in the database. */
export interface FleetEnd {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly reason: string
  readonly iterations: number
  readonly usd: number
  readonly tokens: number
  /** The branch with its work; absent if there is none. */
  readonly branch?: string
}

/** What a worker knows about a run when it takes it. */
export interface Claimed {
  readonly run: string
  /** Counts the workers a run has had. Everything an earlier worker still tries to write is rejected. */
  readonly epoch: number
  /** The worker it was taken from; absent if the run is new or was given back. */
  readonly from?: string
}

/** Everything a worker reports. */
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
  /** Another worker has the run now. Nothing done here since the last step counts. */
  | { readonly type: 'lost'; readonly run: string; readonly why: string; readonly at: number }
  | { readonly type: 'given-back'; readonly run: string; readonly at: number }
  | { readonly type: 'ended'; readonly run: string; readonly end: FleetEnd; readonly at: number }
  | { readonly type: 'draining'; readonly runs: number; readonly at: number }
  | { readonly type: 'warning'; readonly text: string; readonly at: number }

export interface WorkerOptions {
  readonly url: string
  readonly queue: string
  /** Maximum number of runs at the same time. */
  readonly concurrency: number
  /** After this many seconds of silence other workers take this worker's runs. */
  readonly leaseSeconds?: number
  /** The folder for clones and state folders. Processes and files left by earlier workers are removed. */
  readonly folder: string
  readonly file: WorkerFile
  /** The worker's own environment. The agent gets only the variables listed in the worker file. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Starts an agent; the caller decides what an agent's name means. */
  agentOf(options: {
    readonly config: RunConfig
    readonly workspace: string
    readonly env: Readonly<Record<string, string | undefined>>
  }): ConfiguredAgent
  now(): number
  emit(event: FleetEvent): void
  /** Abort it to make the worker give its runs back after the current iterations and exit. */
  readonly drain?: AbortSignal
  /** Abort it to end agents and worker at once; other workers continue from the last step. */
  readonly stop?: AbortSignal
}

export interface WorkerEnd {
  /** Runs that ended here. */
  readonly ended: number
  readonly givenBack: number
}

/** Claim and proof of the last iteration, and the first missing check. */
export interface LastVerdict {
  readonly gate: Verdict['gate']
  readonly missing?: string
}

/** One row of `fleet status`. */
export interface RunRow {
  readonly run: string
  readonly task: string
  readonly title: string
  readonly queue: string
  readonly standing: RunStatus
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
  /** Milliseconds since its last heartbeat, by the clock of the database. */
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
  /** Running ones first, then the newest, up to the requested number. */
  readonly runs: readonly RunRow[]
  /** Tasks that will not run, each with the task it depends on. */
  readonly blocked: readonly { readonly task: string; readonly queue: string; readonly reason: string }[]
  readonly workers: readonly WorkerRow[]
  readonly limits: readonly LimitRow[]
}

export interface Submitted {
  readonly queue: string
  readonly tasks: readonly { readonly task: string; readonly standing: 'waiting' | 'ready' }[]
}

/** What a user may send to a run of the fleet. */
export type FleetControl = Control

/** Fixed at the start of a run: the repository's configuration at the base commit, and the plan as last seen. */
export interface Pinned {
  readonly found?: Found
  readonly commit: string
}
