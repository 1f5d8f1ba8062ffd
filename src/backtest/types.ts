import type { Config } from '../core/config.ts'
import type { Label } from '../core/journal/events.ts'
import type { Ending, Outcome, Spent } from '../core/types.ts'

/** Another configuration for runs of the past, made of the one that each of them had. */
export interface Alternative {
  readonly name: string
  /** Called for every configuration that was in force: at the start, after a change, for a task. */
  readonly config: (recorded: Config) => Config
}

/** Where and how a run ends. */
export interface Stop {
  readonly iteration: number
  readonly outcome: Outcome
  readonly ending: Ending
  readonly rule: string
  readonly reason: string
}

/** What the alternative does to a run. What is good or bad about it is said only where a label says so. */
export type Effect =
  /** The same end at the same iteration; or both are not over. */
  | 'same'
  /** Work labelled bad is not accepted where it was. */
  | 'avoided'
  /** Work labelled good is lost: the run ends before it was done. */
  | 'broken'
  /** Work labelled good is not accepted where it was; whether it would have been later is not known. */
  | 'delayed'
  /** A run that did not complete ends earlier. */
  | 'cut-short'
  /** It completes where the run of the past went on. No label speaks about the work as it stood then. */
  | 'sooner'
  /** Another end, and no label that would judge it. */
  | 'changed'
  /** It would have gone on beyond the recorded end: what comes there is not known. */
  | 'goes-on'
  /** What the alternative would have looked at was not looked at then. */
  | 'cannot-tell'

export interface DecidedAs {
  readonly action: string
  readonly rule: string
  readonly reason: string
}

export interface RunBacktest {
  readonly run: string
  readonly preset: string
  /** Decided in the run of the past. */
  readonly iterations: number
  readonly spent: Spent
  /** Absent for a run that is not over. */
  readonly recorded: Stop | undefined
  /** Absent where it is not known, and for a run that is not over in either. */
  readonly alternative: Stop | undefined
  /** Whether it is known how the run would have ended, or that it would have gone on just so. */
  readonly known: boolean
  /** Why it is not known, in words. */
  readonly why?: string
  /** What the run of the past used after the point at which the alternative ends it. */
  readonly saved: Spent & { readonly iterations: number }
  readonly label?: Label
  readonly effect: Effect
  /** The first iteration that is decided in another way, by another rule or with another end. */
  readonly firstDifference?: {
    readonly iteration: number
    readonly recorded: DecidedAs
    readonly alternative: DecidedAs
  }
}
