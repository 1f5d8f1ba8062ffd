/** The nouns of exitgate. No code lives here; ARCHITECTURE.md says which room may make which noun. */

/** Three answers, not two: only `yes` ever opens anything. */
export type Answer = 'yes' | 'no' | 'unknown'
export type Scalar = string | number | boolean

export type Outcome = 'completed' | 'stuck' | 'aborted' | 'interrupted'
export type CompletedEnding = 'verified' | 'threshold' | 'forced'
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
export type Ending = CompletedEnding | StuckEnding | AbortedEnding | 'interrupt'

/** Something that went wrong on the agent's side, as far as its own output tells. */
export interface AgentError {
  readonly kind: 'api' | 'auth' | 'limit' | 'refusal' | 'truncated' | 'max-turns' | 'permission' | 'other'
  readonly message: string
  /** When a usage limit says so: the moment (ms since 1970) at which it ends. */
  readonly resetAt?: number
  /** The status the provider answered with, where the agent passes it on. */
  readonly status?: number
  /** Read in words that the agent itself could have written: without a process that failed it is no error. */
  readonly inWords?: true
}

/** What each model was given and gave, in tokens that do not overlap; under the format's name when the model is not told. */
export type Models = Readonly<
  Record<string, { readonly input: number; readonly cachedInput: number; readonly output: number }>
>

/** What one iteration printed, normalised and bounded: however long the stream, this stays small. */
export interface Transcript {
  readonly format: string
  /** The agent's final message; of a long one the end (at most 256 Ki characters). */
  readonly final: string
  /** Lines before `final` in which a phrase stands: hints only, never a claim. At most 1,000. */
  readonly earlier: readonly string[]
  readonly bytes: number
  /** False when the stream broke off before the agent closed it. */
  readonly finished: boolean
  readonly session?: string
  readonly usage: { readonly tokens?: number; readonly usd?: number; readonly ms?: number; readonly models?: Models }
  readonly errors: readonly AgentError[]
  /** Tool calls the host refused, each with the command or tool it was about. */
  readonly denials: readonly string[]
  /** Calls of the `exit_signal` tool, in order: structured claims. */
  readonly toolSignals: readonly Readonly<Record<string, Scalar>>[]
  /** Fields that a wrapper JSON carried beside the text (Ralph's flat form): status, exit_signal, work_type ... */
  readonly fields: Readonly<Record<string, Scalar>>
  readonly problems: readonly string[]
}

/** What the agent said. Never evidence. */
export interface Signals {
  /** The explicit yes or no about being done, from the last complete block of any dialect; absent is neither. */
  readonly claim?: boolean
  /** The same per dialect, for presets that listen to one dialect only. */
  readonly claims: Readonly<Record<string, boolean>>
  /** Every explicit "not done", in words: beats every score in every preset. */
  readonly vetoes: readonly string[]
  readonly task?: string
  readonly phase?: string
  /** The agent names something only a person can remove. */
  readonly blocker?: string
  /** Fields of the winning blocks: upper-case names, sections dotted (`TESTS.TOTAL`), values as written. */
  readonly said: Readonly<Record<string, Scalar>>
  /** Dialects of which a block was seen, even a broken or placeholder one. */
  readonly blocks: readonly string[]
  /** Names of the phrases that stand, un-negated, in the text. See signals/phrases.ts. */
  readonly phrases: readonly string[]
  /** The end of the final message, for people. No condition reads it, so that replay needs no transcript. */
  readonly text: string
  /** Bytes the agent printed: the breaker watches it shrink. */
  readonly length: number
  /** Signature of the error the iteration ended with: type and message, numbers, paths and times made alike, hashed. */
  readonly error?: string
  readonly denials: readonly string[]
  /** Dialect that the claim came from, or `none`. */
  readonly source: string
  readonly problems: readonly string[]
}

/** One answer exitgate gathered from the workspace itself. */
export interface Evidence {
  readonly check: string
  readonly answer: Answer
  readonly detail: string
  /** Canonical names: see evidence/given/counts.ts. */
  readonly counts?: Readonly<Record<string, number>>
  readonly ms: number
  /** Identity of the tree it was taken on; empty when unknown. */
  readonly tree: string
  /** The places it speaks of, as they were and as they are: for people, no condition reads them. */
  readonly changes?: readonly EvidenceChange[]
  /** Tests by name and files by content, for looking back later: no condition reads them either. */
  readonly named?: {
    readonly failing: readonly string[]
    readonly fixed: readonly string[]
    /** Failing, and accepted by a person. */
    readonly accepted?: readonly string[]
  }
  readonly work?: Work
}
/** What a run has done to its files: the names of their contents (git's), before and after, empty where there is none. */
export interface Work {
  /** The commits checked out at the start and now. */
  readonly since?: string
  readonly head?: string
  readonly files: Readonly<Record<string, readonly [before: string, after: string]>>
}
export interface EvidenceChange {
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

/** All that one iteration brought to light. */
export interface Observation {
  readonly signals: Signals
  readonly evidence: EvidenceSet
  readonly spent: Spent
  readonly interrupted: boolean
  /** A person overrides: the whole run, or (with phases) only the phase at hand. */
  readonly forced?: { readonly by: string; readonly reason: string; readonly scope: 'run' | 'phase' }
  /** The iteration itself failed: the agent crashed, was killed or exited with an error. */
  readonly failed?: { readonly reason: string }
  /** The agent was cut off by a timeout: `overall` for the whole iteration, `activity` for silence. */
  readonly stalled?: { readonly kind: 'overall' | 'activity'; readonly minutes: number }
  readonly task?: string
  /** The phase the caller says it is in; else the one the state remembers. */
  readonly phase?: string
  /** The agent's own session and what it has counted so far: some agents count on when one is taken up again. */
  readonly session?: { readonly id: string; readonly tokens?: number; readonly usd?: number }
  /** From a harness that keeps counters of its own: they stand instead of the remembered ones. */
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
  /** Consecutive iterations in which the gate stayed shut. */
  readonly gateBlocked: number
  /** Failed iterations of any task since the last success. */
  readonly failures: number
  readonly denials: number
  /** Iterations since the breaker was last reset: for absolute caps. */
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

/** What the state remembers from one iteration to the next. */
export interface Counters {
  /** 1-based number of the iteration being decided. */
  readonly iteration: number
  readonly phase?: string
  /** 1-based iteration within the phase. */
  readonly phaseIteration: number
  readonly streaks: Streaks
  readonly breaker: Breaker
  /** Spent by the whole run, this iteration included. */
  readonly total: Spent
  /** Tree identities of the last iterations, newest last, this one included; at most twelve. */
  readonly trees: readonly string[]
}

/** All that a decision may see. */
export interface Facts extends Omit<Observation, 'phase'>, Counters {
  /** When the iteration ended, in ms since 1970: time is data. */
  readonly at: number
  /** The breaker with this iteration counted in. `breaker` is as it was before: success is asked first. */
  readonly charged: Breaker
  /** The iteration before, only to measure progress. */
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

/** Why it was decided so, without the trace. */
export interface Grounds {
  readonly rule: string
  readonly reason: string
  /** What still keeps the gate shut, in plain words; never a completion token. */
  readonly missing: readonly string[]
  readonly gate: { readonly claim: Answer; readonly proof: Answer }
  readonly measures: Readonly<Record<string, number>>
}

export type Verdict = Decision & Grounds & { readonly trace: readonly Finding[] }

export interface StreakPolicy {
  readonly when: Condition
  /** Another key than last time starts the streak again at one. */
  readonly key?: (facts: Facts) => string | undefined
  /** Count the `yes` of the last so many iterations instead of consecutive ones. */
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
  /** no-progress count at which it goes half-open. */
  readonly halfOpenAt: number
  readonly limits: BreakerLimits
  readonly phases?: Readonly<Record<string, BreakerLimits>>
  /** An output smaller than this share (percent) of the recent average counts as no progress. */
  readonly outputDecline?: number
  readonly recovery: 'manual' | 'cooldown' | 'progress'
  readonly cooldownMinutes: number
  /** Close at the start of a new run. */
  readonly autoReset: boolean
  /** While `yes`, the iteration is not counted at all (Ralph: the agent asked a question). */
  readonly hold?: Condition
}

export interface Limits {
  readonly iterations?: number
  readonly minutes?: number
  readonly usd?: number
  readonly tokens?: number
}

/** Everything a decision follows. A preset is a policy we ship; it is data made of named parts. */
export interface Policy {
  readonly preset: string
  /** Where this preset is weaker than `default`, in plain words. Empty for `default`. */
  readonly weaker: readonly string[]
  /** The two halves of the gate. */
  readonly claim: Condition
  readonly proof: Condition
  readonly measures: Readonly<Record<string, Measure>>
  readonly streaks: Readonly<Record<string, StreakPolicy>>
  readonly progress: Condition
  readonly breaker: BreakerPolicy
  readonly phases?: readonly string[]
  readonly rules: readonly Rule[]
  /** Rules that no facts can reach because another stands before them, and why they stay. */
  readonly shadowed: Readonly<Record<string, string>>
  /** How to read the agent's words for this policy. */
  readonly reading: ReadOptions
  /** How to report, for the agent's prompt. */
  readonly prompt: string
  /** How the agent reports that it is done or not, in words for the prompt; absent if the preset expects no claim. */
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

/** What a policy asks the workspace besides what every policy asks. Data: `evidence/checks` reads it. */
export interface ChecksPolicy {
  /** Names of checks that not every policy asks. */
  readonly also: readonly string[]
  /** `required`: a configured plan that does not exist is `unknown`, not left out. `plansOnly`: only items that name an NN-MM-PLAN.md count. */
  readonly plan: { readonly required: boolean; readonly plansOnly: boolean }
  /** Further runs of the tests on a claim, at least. */
  readonly confirmRuns?: number
  /** Documents that must exist. */
  readonly documents?: {
    readonly docs: number
    readonly adr: boolean
    readonly c4: boolean
    readonly diagrams: boolean
  }
}

export interface ReadOptions {
  /** The prompt the agent was given: what it merely echoes is not a claim. */
  readonly prompt?: string
  /** Patterns of the user's own (linear-time regular expressions), reported as phrases `user:<pattern>`. */
  readonly patterns?: readonly string[]
  /** The text inside `<promise>` that counts; COMPLETE unless the user chose another. */
  readonly promise?: string
}

/**
 * What labelled runs have taught about the completion confidence of `default`: weights of what stands in the facts, or steps over
 * the fixed score. It is laid beside the configuration when a run opens, never taken from a file of the workspace; it is shown and
 * journaled, and no rule asks it.
 */
export type Calibration = { readonly labels: number } & (
  | { readonly kind: 'logistic'; readonly bias: number; readonly weights: Readonly<Record<string, number>> }
  | { readonly kind: 'isotonic'; readonly scores: readonly number[]; readonly shares: readonly number[] }
)

export interface Learning {
  /** Labelled runs below which the completion confidence keeps its fixed weights and nothing is suggested. */
  readonly minimumLabels: number
  /** Days after its end in which a run can still be labelled automatically. */
  readonly days: number
}
