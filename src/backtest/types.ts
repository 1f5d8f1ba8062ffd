import type { Config } from '../core/config.ts'
import type { Label } from '../core/journal/events.ts'
import type { Ending, Outcome, Spent } from '../core/types.ts'

/** Another configuration for recorded runs, derived from the one each of them had. */
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

/** The effect of the alternative on a run. It counts as good or bad only if a label says so. */
export type Effect =
  /** The same end at the same iteration, or neither is over. */
  | 'same'
  /** Work labelled bad is not accepted where it was. */
  | 'avoided'
  /** Work labelled good is lost, because the run ends before it was done. */
  | 'broken'
  /** Work labelled good is not accepted where it was; whether it would be later is unknown. */
  | 'delayed'
  /** A run that did not complete ends earlier. */
  | 'cut-short'
  /** It completes where the recorded run continued. No label covers the work at that point. */
  | 'sooner'
  /** Another end, without a label to judge it. */
  | 'changed'
  /** It would have continued past the recorded end, so the result is unknown. */
  | 'goes-on'
  /** The alternative needs something that was not recorded. */
  | 'cannot-tell'

export interface DecidedAs {
  readonly action: string
  readonly rule: string
  readonly reason: string
}

export interface RunBacktest {
  readonly run: string
  readonly preset: string
  /** Decisions in the recorded run. */
  readonly iterations: number
  readonly spent: Spent
  /** Absent for a run that is not over. */
  readonly recorded: Stop | undefined
  /** Absent if unknown, or if the run is not over in either case. */
  readonly alternative: Stop | undefined
  /** Whether the end with the alternative is known, or that it would be unchanged. */
  readonly known: boolean
  /** Why it is unknown. */
  readonly why?: string
  /** What the recorded run used after the point where the alternative ends it. */
  readonly saved: Spent & { readonly iterations: number }
  readonly label?: Label
  readonly effect: Effect
  /** The first iteration decided differently, by another rule or with another end. */
  readonly firstDifference?: {
    readonly iteration: number
    readonly recorded: DecidedAs
    readonly alternative: DecidedAs
  }
}
