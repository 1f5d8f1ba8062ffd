/** The types of exitgate. This file has no code. ARCHITECTURE.md says which module creates which type. */

import type { ReportedUsage, SessionUsage } from '../../packages/exitgate/src/agents/session-usage.ts'
import type { ProofTable } from '../../packages/exitgate/src/checks/proven.ts'
import type { FailureCause } from './failure-cause.ts'

/** Three answers: only `yes` counts as a pass. */
export type Answer = 'yes' | 'no' | 'unknown'
export type Scalar = string | number | boolean

export type Outcome = 'completed' | 'stuck' | 'aborted' | 'interrupted'
export type CompletedEnding = 'verified' | 'passed' | 'threshold' | 'forced'
export type StuckEnding = 'breaker' | 'same-task' | 'stagnation' | 'oscillation' | 'hollow-claims'
export type AbortedEnding =
  | 'iterations'
  | 'time'
  | 'cost'
  | 'tokens'
  | 'unverifiable'
  | 'needs-human'
  | 'low-confidence'
  | 'errors'
  | 'fatal'
  | 'unproven'
export type Ending = CompletedEnding | StuckEnding | AbortedEnding | 'interrupt'

/** An error on the agent's side, as its output reports it. */
export interface AgentError {
  readonly kind: 'api' | 'auth' | 'limit' | 'refusal' | 'truncated' | 'max-turns' | 'permission' | 'other'
  readonly message: string
  /** When a usage limit ends (ms since 1970), if the message says so. */
  readonly resetAt?: number
  /** The provider's HTTP status, if the agent reports it. */
  readonly status?: number
  /** Found in text that the agent could have written itself. Counts only if the process failed, or if it is the whole output. */
  readonly inWords?: true
  readonly whole?: true
}

/** Tokens by model, without overlap. If the model is unknown, the key is the name of the format. */
export type Models = Readonly<
  Record<string, { readonly input: number; readonly cachedInput: number; readonly output: number }>
>

/** The output of one iteration, normalised and limited in size. */
export interface Transcript {
  readonly format: string
  /** The agent's final message. If it is long, only its end (at most 256 Ki characters). */
  readonly final: string
  /** Lines before `final` that contain a phrase: hints only, never a claim. At most 1,000. */
  readonly earlier: readonly string[]
  readonly bytes: number
  /** False if the stream broke off. */
  readonly finished: boolean
  readonly session?: string
  readonly usage: ReportedUsage & { readonly ms?: number; readonly models?: Models }
  readonly errors: readonly AgentError[]
  /** Denied tool calls, each with its command or tool. */
  readonly denials: readonly string[]
  /** Calls of the `exit_signal` tool, in order: structured claims. */
  readonly toolSignals: readonly Readonly<Record<string, Scalar>>[]
  /** Fields of a JSON wrapper around the text (Ralph's flat form): status, exit_signal, work_type ... */
  readonly fields: Readonly<Record<string, Scalar>>
  readonly problems: readonly string[]
}

/** What the agent says. Never evidence. */
export interface Signals {
  /** The explicit yes or no about being done, from the last complete block of any dialect. Absent means neither. */
  readonly claim?: boolean
  /** The same per dialect, for presets that read only one. */
  readonly claims: Readonly<Record<string, boolean>>
  /** Every explicit "not done", as text. It overrides every score in every preset. */
  readonly vetoes: readonly string[]
  readonly task?: string
  readonly phase?: string
  /** Something that only the user can resolve, as reported by the agent. */
  readonly blocker?: string
  /** What it asks the user at the end of its message, unless it claims to be done. */
  readonly question?: string
  /** Fields of the winning blocks: upper-case names, sections joined by dots (`TESTS.TOTAL`), values as written. */
  readonly said: Readonly<Record<string, Scalar>>
  /** Dialects with at least one block, even an invalid or unfilled one. */
  readonly blocks: readonly string[]
  /** Names of phrases that occur in the text without negation. See signals/phrases.ts. */
  readonly phrases: readonly string[]
  /** The end of the final message, for people. No condition reads it, so replay needs no transcript. */
  readonly text: string
  /** Number of bytes the agent printed. The breaker checks whether it shrinks. */
  readonly length: number
  /** Signature of the iteration's error: a hash of its type and message without numbers, paths and times. */
  readonly error?: string
  readonly denials: readonly string[]
  /** The dialect of the claim, or `none`. */
  readonly source: string
  readonly problems: readonly string[]
}

/** The result of one check of the workspace. */
export interface Evidence {
  readonly check: string
  readonly answer: Answer
  readonly detail: string
  /** Canonical names: see evidence/given/counts.ts. */
  readonly counts?: Readonly<Record<string, number>>
  readonly ms: number
  /** Identifies the state of the files it refers to. Empty if unknown. */
  readonly tree: string
  /** The affected places before and after. For people: no condition reads them. */
  readonly changes?: readonly EvidenceChange[]
  /** Changed tests and settings, and the ids of their contents (empty: deleted). For later runs; no condition reads them. */
  readonly unverified?: Readonly<Record<string, string>>
  /** Tests by name and files by content, for later comparison. No condition reads them either. */
  readonly named?: {
    readonly failing: readonly string[]
    readonly fixed: readonly string[]
    /** Failing tests that the user accepted. */
    readonly accepted?: readonly string[]
    /** Those of them that no user accepted: they failed before, and other tasks of the list are to fix them. */
    readonly left?: readonly string[]
    /** Failing tests that don't count, because they were unsteady before the run. */
    readonly unsteady?: readonly string[]
  }
  readonly work?: Work
  /** On a claim: where its commands ran. */
  readonly ranIn?: RanIn
  /** What asking a model cost. It counts against the limits. */
  readonly spent?: { readonly tokens: number; readonly usd: number }
  /** Only some of the tests ran, because the agent did not claim to be done. Never a pass, and its counts compare with nothing. */
  readonly quick?: true
  /** What keeps the check from passing and the user can accept, each by its id. */
  readonly findings?: readonly OpenFinding[]
  /** Nothing but changes to the tests keeps it from passing: only the user can say whether they are right. */
  readonly onlyFindings?: true
  /** On a claim: which tests fail without the change. For people; no condition reads it. */
  readonly proof?: ProofTable
  /** Findings that the user accepted, so they don't count. */
  readonly accepted?: readonly AcceptedFinding[]
}
/** A finding that the user can accept with `exitgate accept ID`. */
export interface OpenFinding {
  /** For people: the start of the key, or the id of the finding that this one is part of. */
  readonly id: string
  /** Identifies the finding by its content: the same as long as the finding is, and another one when it changes. */
  readonly key: string
  readonly kind: string
  readonly file?: string
  readonly line?: number
  /** The test it is about, as in the source or in the report. */
  readonly test?: string
  readonly detail: string
}
/** A finding that the user took out. It stays in every verdict. */
export interface AcceptedFinding extends OpenFinding {
  readonly by: string
  readonly reason: string
}
/** Where the commands of a check ran. */
export interface RanIn {
  /** In a private copy of exactly the tree that the verdict names. */
  readonly cleanRoom: boolean
  /** Why not in a clean room. */
  readonly why?: string
  /** The sandbox, by name; absent without one. */
  readonly sandbox?: string
}
/** Changed files with their git blob ids before and after. Empty if the file does not exist. */
export interface Work {
  /** The checked-out commits at the start and now. */
  readonly since?: string
  readonly head?: string
  readonly files: Readonly<Record<string, readonly [before: string, after: string]>>
}
export interface EvidenceChange {
  /** With this id the user can accept it. */
  readonly id?: string
  readonly file: string
  readonly line?: number
  readonly kind: string
  readonly blocks: boolean
  readonly detail: string
  readonly before?: string
  readonly after?: string
}
export type EvidenceSet = Readonly<Record<string, Evidence>>

export interface Spent {
  readonly ms: number
  readonly tokens: number
  readonly usd: number
}

/** Everything that is known after one iteration. */
export interface Observation {
  readonly signals: Signals
  readonly evidence: EvidenceSet
  readonly spent: Spent
  readonly interrupted: boolean
  /** The user forces completion of the run or, with phases, of the current phase. */
  readonly forced?: { readonly by: string; readonly reason: string; readonly scope: 'run' | 'phase' }
  /** Why the iteration failed: the agent crashed, was killed or exited with an error. Older journals have no cause. */
  readonly failed?: { readonly reason: string; readonly cause?: FailureCause }
  /** The agent timed out: `overall` for the whole iteration, `activity` for silence. */
  readonly stalled?: { readonly kind: 'overall' | 'activity'; readonly minutes: number }
  /** Commands that the agent left running. exitgate ended them. */
  readonly leftRunning?: readonly string[]
  readonly task?: string
  /** The phase the caller reports. Default: the phase in the state. */
  readonly phase?: string
  /** The agent's session and what it has used so far, because some agents keep counting when a session continues. */
  readonly session?: SessionUsage
  /** Counters of an external loop that keeps its own. They replace those in the state. */
  readonly given?: {
    readonly phaseIteration?: number
    readonly breaker?: { readonly state: BreakerState; readonly reason?: string }
  }
}

export interface Streak {
  readonly n: number
  readonly key?: string
  /** For streaks over a window: the iterations that counted. */
  readonly recent?: readonly number[]
}
export type Streaks = Readonly<Record<string, Streak>>

export type BreakerState = 'closed' | 'half-open' | 'open'
export interface Breaker {
  readonly state: BreakerState
  readonly noProgress: number
  readonly sameError: number
  readonly errorKey?: string
  /** Iterations in a row in which the work was not verified. */
  readonly gateBlocked: number
  /** Failed iterations of any task since the last success. */
  readonly failures: number
  readonly denials: number
  /** Iterations since the last reset of the breaker, for absolute limits. */
  readonly loops: number
  /** Output sizes of the last iterations, newest last, at most five. */
  readonly sizes: readonly number[]
  readonly openedAt?: number
  readonly reason?: string
  readonly opens: number
}
export interface BreakerTransition {
  readonly from: BreakerState
  readonly to: BreakerState
  readonly reason: string
}

/** What carries over from one iteration to the next. */
export interface Counters {
  /** Number of the iteration to decide, from 1. */
  readonly iteration: number
  readonly phase?: string
  /** Number of the iteration within the phase, from 1. */
  readonly phaseIteration: number
  readonly streaks: Streaks
  readonly breaker: Breaker
  /** Spent in the whole run, including this iteration. */
  readonly total: Spent
  /** Tree ids of the last iterations, newest last, including this one. At most twelve. */
  readonly trees: readonly string[]
}

/** Everything a decision may use. */
export interface Facts extends Omit<Observation, 'phase'>, Counters {
  /** When the iteration ended, in ms since 1970. Time is data. */
  readonly at: number
  /** The breaker including this iteration. `breaker` is its state before, because success is decided first. */
  readonly charged: Breaker
  /** The previous iteration, only to measure progress. */
  readonly previous?: Observation
  readonly baseline?: EvidenceSet
}

export interface Finding {
  readonly name: string
  readonly answer: Answer
  readonly detail: string
  readonly parts?: readonly Finding[]
}
export type Condition = (facts: Facts) => Finding
export type Measure = (facts: Facts) => number | undefined

export type Decision =
  | { readonly action: 'stop'; readonly outcome: Outcome; readonly ending: Ending }
  | { readonly action: 'advance'; readonly phase: string }
  | { readonly action: 'continue'; readonly warnings: readonly string[] }

export interface Rule {
  readonly name: string
  readonly when: Condition
  readonly decision: Decision
}

/** The reasons for a decision, without the trace. */
export interface Grounds {
  readonly rule: string
  readonly reason: string
  /** What is still missing, in plain words. Never a completion token. */
  readonly missing: readonly string[]
  readonly gate: { readonly claim: Answer; readonly proof: Answer }
  readonly measures: Readonly<Record<string, number>>
}

export type Verdict = Decision & Grounds & { readonly trace: readonly Finding[] }

export interface StreakPolicy {
  readonly when: Condition
  /** A different key restarts the streak at one. */
  readonly key?: (facts: Facts) => string | undefined
  /** Count the `yes` answers of this many recent iterations, instead of consecutive ones. */
  readonly window?: number
  /** While this is `yes`, the streak neither grows nor ends. */
  readonly hold?: Condition
}

export interface BreakerLimits {
  readonly noProgress?: number
  readonly sameError?: number
  readonly gateBlocked?: number
  readonly failures?: number
  readonly denials?: number
  readonly loops?: number
}
export interface BreakerPolicy {
  readonly enabled: boolean
  /** Iterations without progress at which it becomes half-open. */
  readonly halfOpenAt: number
  readonly limits: BreakerLimits
  readonly phases?: Readonly<Record<string, BreakerLimits>>
  /** Output below this percentage of the recent average counts as no progress. */
  readonly outputDecline?: number
  readonly recovery: 'manual' | 'cooldown' | 'progress'
  readonly cooldownMinutes: number
  /** Errors and failures count even in an iteration that made progress, as in the older systems. */
  readonly despiteProgress: boolean
  /** While `yes`, the iteration isn't counted at all (Ralph: the agent asked a question). */
  readonly hold?: Condition
}

export interface Limits {
  readonly iterations?: number
  readonly minutes?: number
  readonly usd?: number
  readonly tokens?: number
}

/** Everything that determines a decision. A preset is a built-in policy, made of named parts. */
export interface Policy {
  readonly preset: string
  /** Where this preset is weaker than `default`, in plain words. Empty for `default`. */
  readonly weaker: readonly string[]
  readonly claim: Condition
  readonly proof: Condition
  readonly measures: Readonly<Record<string, Measure>>
  readonly streaks: Readonly<Record<string, StreakPolicy>>
  readonly progress: Condition
  readonly breaker: BreakerPolicy
  readonly phases?: readonly string[]
  readonly rules: readonly Rule[]
  /** Rules that can't be reached because another one comes first, and why they are kept. */
  readonly shadowed: Readonly<Record<string, string>>
  /** How to read the agent's output for this policy. */
  readonly reading: ReadOptions
  /** How to report status, for the agent's prompt. */
  readonly prompt: string
  /** How the agent reports that it is done or not, for the prompt. Absent if the preset expects no claim. */
  readonly report?: {
    readonly done: string
    readonly notDone: string
    /** The agent reports on each item of a plan, not on the whole plan. */
    readonly perItem?: true
  }
  readonly checks: ChecksPolicy
  /** Labelled runs calibrate its completion confidence. */
  readonly calibrated?: true
}

/** Checks that a policy needs in addition to those of every policy. Data for `evidence/checks`. */
export interface ChecksPolicy {
  readonly also: readonly string[]
  /** `required`: a missing plan file is `unknown`, not left out. `plansOnly`: only items that name an NN-MM-PLAN.md count. */
  readonly plan: { readonly required: boolean; readonly plansOnly: boolean }
  /** Checks without which nothing completes. If one of them can't answer, a run does not start. */
  readonly needs?: readonly string[]
  /** Minimum number of extra test runs for a claim. */
  readonly confirmRuns?: number
  /** Nothing completes or advances without a claim, so some of the tests are enough for an iteration without one. */
  readonly quick?: true
  /** A run has to show a test that fails without the change. Other policies only report it. */
  readonly proof?: true
  /** `verified` needs no proven work, as in earlier versions. */
  readonly verifiesAll?: true
  readonly documents?: {
    readonly docs: number
    readonly adr: boolean
    readonly c4: boolean
    readonly diagrams: boolean
  }
}

export interface ReadOptions {
  /** The agent's prompt. Text copied from it is not a claim. */
  readonly prompt?: string
  /** The user's own patterns (linear-time regular expressions), reported as phrases `user:<pattern>`. */
  readonly patterns?: readonly string[]
  /** The text inside `<promise>` that counts. Default: COMPLETE. */
  readonly promise?: string
}

/**
 * A confidence score for `default`, learned from labelled runs: weights of facts, or steps over the fixed score. It comes from the
 * state folder, never from a file in the workspace. It is shown and recorded, but no rule uses it.
 */
export type Calibration = { readonly labels: number } & (
  | { readonly kind: 'logistic'; readonly bias: number; readonly weights: Readonly<Record<string, number>> }
  | { readonly kind: 'isotonic'; readonly scores: readonly number[]; readonly shares: readonly number[] }
)

export interface Learning {
  /** Labelled runs needed before the confidence is calibrated and settings are suggested. */
  readonly minimumLabels: number
  /** Days after its end in which a run can be labelled automatically. */
  readonly days: number
}
