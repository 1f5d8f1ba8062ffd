import type { Config } from '../config.ts'
import type {
  Breaker,
  BreakerTransition,
  Decision,
  Ending,
  EvidenceSet,
  Grounds,
  Observation,
  Outcome,
  Spent,
  Streaks,
} from '../types.ts'

/** Version of the journal's lines. Readers accept every version up to this one and refuse a newer one by name. */
export const JOURNAL_VERSION = 1

/** What is kept of a verdict: the trace is left out, because deciding again on the same facts gives it back. */
export type Decided = Decision & Grounds

/** The counters as the iteration left them; the fold takes them over as they are and needs no policy. */
export interface CountersAfter {
  readonly phase?: string
  readonly phaseIteration: number
  readonly streaks: Streaks
  readonly breaker: Breaker
  readonly total: Spent
  readonly trees: readonly string[]
}

/** Whether the work of a run turned out to be what was asked for. */
export type Label = 'good' | 'bad'
export type LabelSource = 'person' | 'revert' | 'ci' | 'red-again' | 'follow-up'

/** All that happens, as one union. The edge stamps `at`; the fold only reads it. */
export type EventInput =
  | {
      readonly type: 'run.started'
      readonly run: string
      /** Absent when it is the same as in the run before. */
      readonly config?: Config
      readonly task?: string
      readonly phase?: string
      readonly baseline?: EvidenceSet
      /** Identity of the kept baseline: another one, or none, is not this run's. */
      readonly baselineId?: string
      /** The sandbox of the agent and the checks, or why there was none. */
      readonly sandbox?: string
    }
  /** The run goes on in another process, or after an ending that was not final. */
  | { readonly type: 'run.resumed'; readonly iteration: number; readonly reason: string }
  | {
      readonly type: 'iteration.started'
      readonly iteration: number
      readonly phase?: string
      readonly task?: string
      /** The number of this start of the iteration, from 1. */
      readonly attempt?: number
    }
  /** The agent's process, written down as soon as it has a number: whoever takes over a dead run ends what is left of it. */
  | {
      readonly type: 'agent.started'
      readonly iteration: number
      readonly attempt: number
      readonly pid: number
      readonly id: string
      readonly since?: string
    }
  /** What a step brought that must not be done twice. Forgotten when its iteration is decided or starts again. */
  | { readonly type: 'step.done'; readonly name: string; readonly result: unknown }
  /** The provider, not the agent, ended the iteration: it is started again later and counts as nothing but money. */
  | {
      readonly type: 'iteration.limited'
      readonly iteration: number
      readonly attempt: number
      readonly kind: 'limit' | 'overload'
      readonly until: number
      readonly message: string
      readonly spent: Spent
    }
  /** What a person asked for while it ran. */
  | { readonly type: 'control'; readonly kind: string; readonly by: string; readonly reason: string }
  | { readonly type: 'task.skipped'; readonly task: string; readonly by: string; readonly reason: string }
  /** The kind of the task at hand has values of its own; the next task starts from those of the run again. */
  | { readonly type: 'task.config'; readonly task: string; readonly config: Config }
  | { readonly type: 'guidance'; readonly text: string; readonly by: string }
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
      /** Iterations the phase took. */
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
      /** One more try with every count as it was, instead of a fresh start. */
      readonly to?: 'half-open'
    }
  | {
      readonly type: 'run.ended'
      readonly outcome: Outcome
      readonly ending: Ending
      readonly reason: string
      readonly iteration: number
    }
  /** The person who runs it changed flags or environment in the middle of a run. */
  | { readonly type: 'config.changed'; readonly config: Config; readonly paths: readonly string[] }
  /** Said afterwards about the work of a run, by a person or by what came later. It decides nothing, so the fold keeps nothing of it. */
  | {
      readonly type: 'labelled'
      readonly run: string
      /** `none` takes back what a person said before. */
      readonly label: Label | 'none'
      /** A person may be called anything, so who speaks is told apart by this and not by the name. */
      readonly source: LabelSource
      readonly by: string
      readonly reason: string
    }
  | { readonly type: 'note'; readonly text: string }

/** A happening as it stands in the journal: version, number, time, and the hash of the line before. */
export type JournalEvent = {
  readonly v: number
  readonly seq: number
  readonly at: number
  readonly prev: string
  /** Recorded together with others: its position in the group, and the group's size. A group counts whole or not at all. */
  readonly part?: readonly [number, number]
} & EventInput

/** The fold of a journal: what the next decision needs, and what `state` shows. */
export interface State {
  readonly run?: string
  readonly config?: Config
  /** The run's own configuration, while that of a task is in force. */
  readonly base?: Config
  readonly task?: string
  readonly startedAt?: number
  readonly baseline?: EvidenceSet
  readonly baselineId?: string
  /** The sandbox of this run, or why there was none. */
  readonly sandbox?: string
  /** Iterations decided so far in this run. */
  readonly iterations: number
  readonly counters: CountersAfter
  /** The iteration that has begun and is not decided yet. */
  readonly running?: {
    readonly iteration: number
    readonly at: number
    readonly attempt?: number
    readonly task?: string
    /** The agent's process tree, as long as it may live. */
    readonly agent?: { readonly pid: number; readonly id: string; readonly since?: string }
  }
  /** The newest start of an iteration: the next one of the same iteration has a number of its own. */
  readonly attempt?: { readonly iteration: number; readonly n: number }
  /** Results of steps of the running iteration, by name. */
  readonly steps?: Readonly<Record<string, unknown>>
  /** Limits and overloads in a row since the last decision: how many of the kind, and since when any. */
  readonly limited?: {
    readonly n: number
    readonly until: number
    readonly kind: 'limit' | 'overload'
    readonly since?: number
  }
  /** When iterations were started, those of the last hour only. */
  readonly starts?: readonly number[]
  /** The longest time that each check took so far, in ms, over all runs of this journal. */
  readonly slowest?: Readonly<Record<string, number>>
  /** Tasks a person has taken off the list. */
  readonly skipped?: readonly string[]
  /** What a person wants the agent to know, newest last, at most five. */
  readonly guidance?: readonly string[]
  readonly previous?: Observation
  readonly last?: { readonly iteration: number; readonly at: number; readonly verdict: Decided }
  readonly ended?: { readonly outcome: Outcome; readonly ending: Ending; readonly reason: string; readonly at: number }
  readonly phasesDone: readonly {
    readonly phase: string
    readonly iterations: number
    readonly at: number
    readonly forced: boolean
  }[]
  /** The decisions of this run, newest last, at most fifty: `history` reads the journal for more. */
  readonly recent: readonly {
    readonly iteration: number
    readonly at: number
    readonly action: string
    readonly rule: string
    readonly reason: string
  }[]
  /** Over all runs of this journal. */
  readonly totals: {
    readonly runs: number
    readonly decisions: number
    readonly continues: number
    readonly stops: number
    readonly claimsRefused: number
  }
  readonly seq: number
}
