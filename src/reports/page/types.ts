import type { FileDiff } from '../../core/file-diff.ts'
import type {
  AcceptedFinding,
  Answer,
  BreakerState,
  Evidence,
  EvidenceChange,
  Finding,
  Scalar,
  Spent,
} from '../../core/types.ts'

/** One run as plain data: what the page, the Markdown and `--json` are made of. All text in it is fit to be shown. */
export interface Report {
  readonly v: 1
  readonly run: string
  readonly preset: string
  readonly project?: string
  readonly task?: string
  readonly startedAt: number
  /** Time of the newest event. */
  readonly seenAt: number
  readonly end?: ReportEnd
  /** The iteration that has begun and is not decided yet. */
  readonly running?: { readonly iteration: number; readonly at: number }
  readonly phase?: string
  readonly next: readonly string[]
  readonly weaker: readonly string[]
  readonly totals: Totals
  /** What the last iteration showed. */
  readonly proven: readonly Proven[]
  readonly refusals: readonly Refusal[]
  /** Findings that the user accepted. */
  readonly accepted: readonly Accepted[]
  /** What the run did to the files. The live page has it without. */
  readonly work?: RunWork
  readonly baseline: readonly Shown[]
  readonly iterations: readonly Iteration[]
  /** What was done to tests and to what runs them, each once. */
  readonly tampering: readonly Tampering[]
  readonly interventions: readonly Intervention[]
  /** Older interventions that were left out. */
  readonly dropped: number
  readonly config: readonly (readonly [path: string, value: string])[]
  /** The label given to this run later. */
  readonly label?: { readonly label: string; readonly by: string; readonly reason: string }
}

/** One thing that was checked and found to be so, or a caveat about how. */
export interface Proven {
  readonly title: string
  readonly detail: string
  /** The tests it is about. */
  readonly tests?: readonly string[]
  /** Rows below `PROOF_HEADS`: what each test does without the change. */
  readonly table?: readonly (readonly string[])[]
  readonly caveat?: true
}

/** A rejected claim, or the same one several times in a row. */
export interface Refusal {
  readonly first: number
  readonly last: number
  readonly times: number
  readonly reason: string
}

export type Accepted = Omit<AcceptedFinding, 'key'>

/** Changed files with their lines. */
export interface Diff {
  readonly files: readonly FileDiff[]
  readonly added: number
  readonly removed: number
  /** How to see what was left out. */
  readonly rest?: string
}

/** What the live page gets when it asks for the diff of a run or of one iteration. */
export interface DiffAnswer {
  /** Differs when the diff of a run does. */
  readonly mark?: string
  readonly diff?: Diff
  /** Why there is none. */
  readonly why?: string
  /** Why it is not exactly what the run left. */
  readonly note?: string
}

/** What a run did to the files, and how to take it or throw it away. */
export interface RunWork {
  /** Absent if the files of that time are gone; `why` says so. */
  readonly total?: Diff
  readonly why?: string
  /** Why the diff is not exactly what the run left. */
  readonly note?: string
  /** The iterations that changed something, newest first; of long runs the newest. */
  readonly iterations: readonly IterationDiff[]
  readonly commits: readonly RunCommit[]
  /** Absent while the run is active, and if it changed nothing. */
  readonly take?: Handoff
  readonly pullRequest?: Handoff
  readonly discard?: Handoff
}

export type IterationDiff = Diff & { readonly n: number; readonly commit?: string }

export interface RunCommit {
  readonly id: string
  readonly subject: string
  readonly at: number
}

/** A command for the user to run, and what it does. */
export interface Handoff {
  readonly text: string
  readonly command?: string
}

export interface ReportEnd {
  readonly outcome: string
  readonly ending: string
  /** What went wrong with the agent, if that ended the run. */
  readonly cause?: string
  readonly rule: string
  readonly reason: string
  readonly at: number
  readonly missing: readonly string[]
  /** What the agent asked, and said, last: each with its name. */
  readonly words: readonly (readonly [name: string, text: string])[]
}

export interface Totals {
  readonly iterations: number
  readonly claims: number
  readonly refused: number
  readonly failures: number
  readonly spent: Spent
}

/** Evidence without what only machines need. */
export type Shown = Pick<Evidence, 'check' | 'answer' | 'detail' | 'counts' | 'ms' | 'changes'> & {
  /** If it isn't the one of the check. */
  readonly title?: string
  /** Not required, so a failure means nothing. */
  readonly information?: true
}

export interface Iteration {
  readonly n: number
  readonly at: number
  readonly phase?: string
  readonly task?: string
  readonly claim: Answer
  readonly proof: Answer
  readonly action: 'continue' | 'advance' | 'stop'
  /** `not done`, the phase that comes next, or the end. */
  readonly verdict: string
  /** A claim that the gate did not follow. */
  readonly refused: boolean
  readonly rule: string
  readonly reason: string
  readonly warnings: readonly string[]
  readonly missing: readonly string[]
  readonly breaker: BreakerState
  readonly measures: Readonly<Record<string, number>>
  readonly spent: Spent
  /** How often it was started. */
  readonly attempts: number
  readonly failed?: string
  readonly forced?: { readonly by: string; readonly reason: string }
  readonly interrupted: boolean
  readonly evidence: readonly Shown[]
  readonly said: Said
  /** Every rule's finding, decided again; only of some iterations when there are many. */
  readonly trace?: readonly Finding[]
  /** The rule that decides today, where that is another one than was recorded. */
  readonly differs?: string
  readonly output?: Output
}

/** What the agent said. */
export interface Said {
  readonly source: string
  readonly claim?: boolean
  readonly vetoes: readonly string[]
  readonly blocker?: string
  readonly fields: readonly (readonly [name: string, value: Scalar])[]
  readonly problems: readonly string[]
  readonly denials: readonly string[]
  readonly text: string
}

/** What was kept of the agent's output and of its prompt, or where it lies. */
export interface Output {
  readonly files: readonly { readonly name: string; readonly text?: string; readonly left?: number }[]
}

/** Something that you, the provider or the loop did between decisions. */
export interface Intervention {
  readonly at: number
  readonly iteration: number
  readonly kind: 'override' | 'breaker' | 'phase' | 'limit' | 'run' | 'note'
  readonly by?: string
  readonly what: string
  readonly reason: string
}

/** A finding about weakened tests, and the iterations that had it. */
export type Tampering = Partial<EvidenceChange> & {
  readonly detail: string
  readonly first: number
  readonly last: number
}
