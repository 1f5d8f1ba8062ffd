import type { Config } from '../config.ts'
import type { FailureCause } from '../failure-cause.ts'
import type {
  AcceptedFinding,
  BreakerTransition,
  Counters,
  Decision,
  Ending,
  EvidenceSet,
  Grounds,
  Observation,
  OpenFinding,
  Outcome,
  Spent,
} from '../types.ts'

/** Version of the journal format. Readers accept every version up to this one and reject newer ones with a clear error. */
export const JOURNAL_VERSION = 1

/** The recorded part of a verdict. The trace is left out, because deciding again on the same facts restores it. */
export type Decided = Decision & Grounds

/** The counters after an iteration. `reduce` copies them as they are, so it needs no policy. */
export type CountersAfter = Omit<Counters, 'iteration'>

/** Whether the work of a run turned out to be right. */
export type Label = 'good' | 'bad'
export type LabelSource = 'person' | 'revert' | 'ci' | 'red-again' | 'follow-up'

/** Everything that can happen in a run. The journal adds `at`; `reduce` never reads a clock. */
export type EventInput =
  | {
      readonly type: 'run.started'
      readonly run: string
      /** Absent if it is the same as in the previous run. */
      readonly config?: Config
      readonly task?: string
      /** The first line of the task or the prompt, for people. */
      readonly title?: string
      readonly phase?: string
      readonly baseline?: EvidenceSet
      /** The hash of the configuration file, if it is code. */
      readonly code?: string
      /** The configuration file, from the workspace; absent if there is none. */
      readonly configFile?: string
      /** Identifies the stored baseline. A baseline with another id belongs to another run. */
      readonly baselineId?: string
      /** The sandbox of the agent and the checks, or why there was none. */
      readonly sandbox?: string
      /** The user allows control without a terminal and a code. */
      readonly remote?: true
    }
  /** The run continues in another process, or after an ending that was not final. */
  /** `again`: the run had ended by itself and tries again, so its breaker and streaks start at zero. */
  | { readonly type: 'run.resumed'; readonly iteration: number; readonly reason: string; readonly again?: true }
  | {
      readonly type: 'iteration.started'
      readonly iteration: number
      readonly phase?: string
      readonly task?: string
      /** Counts the starts of this iteration, from 1. */
      readonly attempt?: number
    }
  /** The agent's process, recorded as soon as it has a pid, so that a later process can end what a crashed run left running. */
  | {
      readonly type: 'agent.started'
      readonly iteration: number
      readonly attempt: number
      readonly pid: number
      readonly id: string
      readonly since?: string
    }
  /** The result of a step that must not be repeated. Dropped when its iteration is decided or starts again. */
  | { readonly type: 'step.done'; readonly name: string; readonly result: unknown }
  /** The provider ended the iteration, not the agent, and has had trouble since then. It starts again later; only its cost counts. */
  | {
      readonly type: 'iteration.limited'
      readonly iteration: number
      readonly attempt: number
      readonly kind: 'limit' | 'overload'
      readonly until: number
      readonly message: string
      readonly spent: Spent
      readonly since?: number
    }
  /** From here on, another agent works: the fallback, or the first one again. `until`: when the first one is tried again. */
  | {
      readonly type: 'agent.switched'
      readonly to: 'first' | 'fallback'
      readonly why: string
      readonly until?: number
    }
  /** A control request from the user while the run was active. */
  | { readonly type: 'control'; readonly kind: string; readonly by: string; readonly reason: string }
  | { readonly type: 'task.skipped'; readonly task: string; readonly by: string; readonly reason: string }
  /** Overrides for the current task's type. The next task starts from the configuration of the run again. */
  | { readonly type: 'task.config'; readonly task: string; readonly config: Config }
  | { readonly type: 'guidance'; readonly text: string; readonly by: string }
  /** The user accepts findings: from now on they don't keep a claim from being verified. */
  | {
      readonly type: 'accepted'
      readonly findings: readonly OpenFinding[]
      readonly by: string
      readonly reason: string
    }
  | { readonly type: 'checkpoint'; readonly iteration: number; readonly branch: string; readonly commit: string }
  | {
      readonly type: 'iteration.decided'
      readonly iteration: number
      readonly observation: Observation
      readonly verdict: Decided
      readonly after: CountersAfter
    }
  | ({ readonly type: 'breaker.changed'; readonly iteration: number } & BreakerTransition)
  | {
      readonly type: 'phase.changed'
      readonly from?: string
      /** The number of iterations of that phase. */
      readonly iterations?: number
      readonly to: string
      readonly forced: boolean
      readonly by?: string
      readonly reason?: string
    }
  | {
      readonly type: 'breaker.reset'
      readonly by: string
      readonly reason: string
      /** Allows one more try without resetting the counts. */
      readonly to?: 'half-open'
    }
  | {
      readonly type: 'run.ended'
      readonly outcome: Outcome
      readonly ending: Ending
      readonly reason: string
      readonly iteration: number
      readonly cause?: FailureCause
      /** The `--max-wait` with which the run would have waited for the provider's limit. */
      readonly waitMinutes?: number
    }
  /** The tree of a verified decision was stored in this folder of the state folder. Later checks compare with it. */
  | { readonly type: 'tree.verified'; readonly baselineId: string; readonly folder: string }
  /** The user changed flags or environment variables during a run. */
  | { readonly type: 'config.changed'; readonly config: Config; readonly paths: readonly string[] }
  /** A later judgement about the work of a run. No decision uses it, so the state doesn't contain it. */
  | {
      readonly type: 'labelled'
      readonly run: string
      /** `none` withdraws an earlier label by the user. */
      readonly label: Label | 'none'
      /** Tells users from programs. A name can't, because a user may have any name. */
      readonly source: LabelSource
      readonly by: string
      readonly reason: string
    }
  | { readonly type: 'note'; readonly text: string }

/** An event in the journal, with its version, number and time, and the hash of the previous line. */
export type JournalEvent = {
  readonly v: number
  readonly seq: number
  readonly at: number
  readonly prev: string
  /** Position in a group of events, and the size of the group. A group counts as a whole or not at all. */
  readonly part?: readonly [number, number]
} & EventInput

/** The state a journal adds up to: everything the next decision needs and `exitgate status` shows. */
export interface State {
  readonly run?: string
  readonly config?: Config
  /** The configuration of the run while overrides of a task are active. */
  readonly base?: Config
  readonly task?: string
  readonly title?: string
  readonly configFile?: string
  readonly startedAt?: number
  readonly baseline?: EvidenceSet
  readonly baselineId?: string
  /** The hash of the configuration code that was executed last. It outlives its run. */
  readonly code?: string
  /** The last verified tree. It outlives its run. */
  readonly verified?: { readonly baselineId: string; readonly folder: string; readonly at: number }
  /** Tests and settings that were changed and not verified yet, by content id. They outlive their run. */
  readonly unverified?: { readonly files: Readonly<Record<string, string>>; readonly at: number }
  /** The sandbox of this run, or why there was none. */
  readonly sandbox?: string
  /** The user allowed control without a terminal and a code. */
  readonly remote?: true
  /** Iterations decided so far in this run. */
  readonly iterations: number
  readonly counters: CountersAfter
  /** The iteration that has started but isn't decided yet. */
  readonly running?: {
    readonly iteration: number
    readonly at: number
    readonly attempt?: number
    readonly task?: string
    /** The agent's process tree, while it may still be running. */
    readonly agent?: { readonly pid: number; readonly id: string; readonly since?: string }
  }
  /** The latest start of an iteration, so that another start of it gets the next number. */
  readonly attempt?: { readonly iteration: number; readonly n: number }
  /** Results of the running iteration's steps, by name. */
  readonly steps?: Readonly<Record<string, unknown>>
  /** Provider limits in a row since the last decision: how many of this kind, and since when of any kind. */
  readonly limited?: {
    readonly n: number
    readonly until: number
    readonly kind: 'limit' | 'overload'
    readonly since?: number
  }
  /** The fallback works instead of the first agent. */
  readonly fallback?: { readonly why: string; readonly since: number; readonly until?: number }
  /** Start times of iterations within the last hour. */
  readonly starts?: readonly number[]
  /** The longest duration of each check in ms, over all runs in this journal. */
  readonly slowest?: Readonly<Record<string, number>>
  /** Tasks the user skipped. */
  readonly skipped?: readonly string[]
  /** Findings the user accepted, oldest first, each with the number of iterations decided before. */
  readonly accepted?: readonly (AcceptedFinding & { readonly after: number })[]
  /** Hints from the user for the agent, newest last, at most five. */
  readonly guidance?: readonly string[]
  readonly previous?: Observation
  readonly last?: { readonly iteration: number; readonly at: number; readonly verdict: Decided }
  readonly ended?: Omit<Extract<EventInput, { type: 'run.ended' }>, 'type' | 'iteration'> & { readonly at: number }
  readonly phasesDone: readonly {
    readonly phase: string
    readonly iterations: number
    readonly at: number
    readonly forced: boolean
  }[]
  /** Decisions of this run, newest last, at most 50. `history` reads the journal for older ones. */
  readonly recent: readonly {
    readonly iteration: number
    readonly at: number
    readonly action: string
    readonly rule: string
    readonly reason: string
  }[]
  /** Totals over all runs in this journal. */
  readonly totals: {
    readonly runs: number
    readonly decisions: number
    readonly continues: number
    readonly stops: number
    readonly claimsRefused: number
  }
  readonly seq: number
}
