import type { Config } from '../config/types.ts'
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

/** All that happens, as one union. The edge stamps `at`; the fold only reads it. */
export type Happening =
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
    }
  | { readonly type: 'iteration.started'; readonly iteration: number; readonly phase?: string; readonly task?: string }
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
  | { readonly type: 'breaker.reset'; readonly by: string; readonly reason: string }
  | {
      readonly type: 'run.ended'
      readonly outcome: Outcome
      readonly ending: Ending
      readonly reason: string
      readonly iteration: number
    }
  /** The person who runs it changed flags or environment in the middle of a run. */
  | { readonly type: 'config.changed'; readonly config: Config; readonly paths: readonly string[] }
  | { readonly type: 'note'; readonly text: string }

/** A happening as it stands in the journal: version, number, time, and the hash of the line before. */
export type JournalEvent = {
  readonly v: number
  readonly seq: number
  readonly at: number
  readonly prev: string
  /** Recorded together with others: the how-manieth of how many. Such a group counts whole or not at all. */
  readonly part?: readonly [number, number]
} & Happening

/** The fold of a journal: what the next decision needs, and what `state` shows. */
export interface State {
  readonly run?: string
  readonly config?: Config
  readonly task?: string
  readonly startedAt?: number
  readonly baseline?: EvidenceSet
  readonly baselineId?: string
  /** Iterations decided so far in this run. */
  readonly iterations: number
  readonly counters: CountersAfter
  /** The iteration that has begun and is not decided yet. */
  readonly running?: { readonly iteration: number; readonly at: number }
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
