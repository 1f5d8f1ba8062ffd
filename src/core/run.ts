import type { Config } from './config.ts'
import type { JournalEvent, State } from './journal/events.ts'
import type {
  AgentError,
  BreakerTransition,
  Ending,
  EvidenceSet,
  Observation,
  Outcome,
  Signals,
  Spent,
  Verdict,
} from './types.ts'

/** A request of the user to a running loop, from its terminal, from another one, or by a signal. */
export type Control =
  | { readonly kind: 'interrupt'; readonly by: string; readonly reason: string }
  | { readonly kind: 'force'; readonly by: string; readonly reason: string }
  /** Skip the current task, or the phase where there are phases. */
  | { readonly kind: 'skip'; readonly by: string; readonly reason: string }
  | { readonly kind: 'reset-breaker'; readonly by: string; readonly reason: string }
  /** Accept findings by their ids. */
  | { readonly kind: 'accept'; readonly by: string; readonly reason: string; readonly ids?: readonly string[] }
  /** A text for the agent's next prompts. */
  | { readonly kind: 'guidance'; readonly by: string; readonly reason: string }
  /** Pause before the next iteration, and continue. */
  | { readonly kind: 'pause'; readonly by: string; readonly reason: string }
  | { readonly kind: 'resume'; readonly by: string; readonly reason: string }

/** How the agent's process ran and ended. */
export interface AgentProcess {
  /** Null when a signal ended it, or it did not start. */
  readonly code: number | null
  readonly signal?: string
  readonly ended: 'exit' | 'deadline' | 'silence' | 'aborted' | 'not-started'
  readonly problem?: string
  readonly ms: number
  readonly format: string
  readonly bytes: number
  /** File with its output, relative to the state folder. */
  readonly file?: string
  readonly session?: string
  readonly usage: { readonly tokens?: number; readonly usd?: number }
  readonly errors: readonly AgentError[]
  /** The stream was closed by the agent, not cut off. */
  readonly finished: boolean
  /** The last lines of its standard error, for people. */
  readonly stderr: string
  readonly problems: readonly string[]
  /** Processes that outlived the agent and had to be ended. */
  readonly leftBehind: number
}

/** What is kept of the agent's part of an iteration. Small and plain, because it is journaled. */
export interface AgentResult extends AgentProcess {
  /** What the agent said, read with the policy's options and the prompt it was given. */
  readonly signals: Signals
}

/** One entry of the list of work. */
export interface Task {
  /** Short and stable: `03-02`, `US-4`, the text of a Markdown item. The key of failure streaks. */
  readonly id: string
  readonly title: string
  readonly done: boolean
  /** More of it, for the prompt: acceptance criteria, the body of a task file. */
  readonly detail?: string
  readonly type?: string
}

/** How far a plan is, for the prompt. */
export interface PlanProgress {
  readonly path: string
  /** Required items that you haven't skipped. */
  readonly total: number
  readonly done: number
  /** The current task in it; absent if no item is open. */
  readonly item?: {
    readonly number: number
    /** What to do when the item is done: tick its box, move its file and so on. */
    readonly markDone: string
  }
}

/** One thing that exitgate looks at before the first iteration. */
export interface PreflightFact {
  readonly name: string
  /** `good` is fine, `note` is worth knowing, `bad` must be fixed. */
  readonly state: 'good' | 'note' | 'bad'
  readonly text: string
  /** What to do about it. */
  readonly remedy?: string
  /** Because of it, the run can't complete. */
  readonly blocks?: true
}

/** One item of the plan, as the live view shows it. */
export interface PlanItem {
  readonly title: string
  readonly state: 'done' | 'current' | 'open' | 'skipped'
}

/** Test results that a command has printed so far. */
export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** One file that an iteration changed. */
export interface ChangedFile {
  readonly path: string
  /** Lines; absent for files that are binary or too large to compare. */
  readonly added?: number
  readonly removed?: number
}

/**
 * Everything that happens while a loop runs, as one union. Terminal, plain lines, JSON lines, the live page, notifications and the
 * library's `run()` all consume this stream; none of them has another source.
 */
export type LoopEvent =
  | { readonly type: 'preflight'; readonly facts: readonly PreflightFact[]; readonly at: number }
  | {
      readonly type: 'started'
      readonly run: string
      readonly preset: string
      readonly workspace: string
      readonly command: readonly string[]
      readonly resumed: boolean
      readonly iterations: number
      readonly config: Config
      readonly weaker: readonly string[]
      readonly phases?: readonly string[]
      /** The name of the sandbox, or why there is none; absent if you turned it off. */
      readonly sandbox?: string
      readonly at: number
    }
  | { readonly type: 'baseline'; readonly done: boolean; readonly evidence?: EvidenceSet; readonly at: number }
  | {
      readonly type: 'iteration'
      readonly iteration: number
      readonly attempt: number
      readonly phase?: string
      readonly task?: string
      readonly at: number
    }
  /** The plan's items. Sent when one of them has changed. */
  | { readonly type: 'plan'; readonly path: string; readonly items: readonly PlanItem[]; readonly at: number }
  /**
   * A piece of what the agent prints, as text for people: the assistant's words where the format is known, else the bytes. A tool
   * call is one line of text; `tool` names the tool and what it is used on.
   */
  | {
      readonly type: 'output'
      readonly text: string
      readonly tool?: { readonly name: string; readonly about?: string }
      readonly at: number
    }
  /** What this start of the agent has used so far. Sent whenever it grows. */
  | { readonly type: 'usage'; readonly tokens?: number; readonly usd?: number; readonly at: number }
  | { readonly type: 'agent-ended'; readonly iteration: number; readonly result: AgentResult; readonly at: number }
  | { readonly type: 'evidence'; readonly iteration: number; readonly at: number }
  /** A check starts a command. Two of them can run at the same time, so each has an id. */
  | {
      readonly type: 'command'
      readonly id: number
      readonly check: string
      readonly command: string
      /** A claim runs the tests more than once: run 2 of 2. */
      readonly run?: number
      readonly of?: number
      readonly at: number
    }
  /** What it printed since the last time, or the end of it; `counts` where its output shows results while it runs. */
  | {
      readonly type: 'command-output'
      readonly id: number
      readonly text: string
      readonly counts?: TestCounts
      readonly at: number
    }
  | {
      readonly type: 'command-ended'
      readonly id: number
      /** Null if a signal ended it, or it did not start. */
      readonly code: number | null
      readonly ms: number
      readonly at: number
    }
  /** What the iteration changed. The unified diff is in `file`, relative to the state folder. */
  | {
      readonly type: 'diff'
      readonly iteration: number
      readonly files: readonly ChangedFile[]
      readonly file: string
      readonly at: number
    }
  | {
      readonly type: 'decided'
      readonly iteration: number
      readonly phase?: string
      readonly task?: string
      readonly verdict: Verdict
      readonly observation: Observation
      readonly transitions: readonly BreakerTransition[]
      readonly state: State
      readonly at: number
    }
  /** Without a time: until the user continues it. */
  | {
      readonly type: 'waiting'
      readonly until?: number
      readonly why: string
      /** Absent for waits that you chose yourself. */
      readonly cause?: 'limit' | 'overload' | 'breaker'
      readonly at: number
    }
  | { readonly type: 'waited'; readonly at: number }
  /** A question in the terminal that the run waits for. Without an answer until then, the run ends. */
  | { readonly type: 'asking'; readonly why: string; readonly until: number; readonly at: number }
  /** The message of an interrupt; `now` when the agent is ended at once. */
  | { readonly type: 'interrupted'; readonly message: string; readonly now: boolean; readonly at: number }
  | { readonly type: 'control'; readonly control: Control; readonly at: number }
  | { readonly type: 'checkpoint'; readonly branch: string; readonly commit: string; readonly at: number }
  | { readonly type: 'recorded'; readonly events: readonly JournalEvent[] }
  | { readonly type: 'warning'; readonly text: string; readonly at: number }
  | { readonly type: 'ended'; readonly end: RunEnd; readonly at: number }

/** Whether an event is text that a program printed. There may be much of it. */
export const isPrinted = ({ type }: Pick<LoopEvent, 'type'>): boolean => type === 'output' || type === 'command-output'

export interface RunEnd {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly rule: string
  readonly reason: string
  readonly run: string
  readonly preset: string
  readonly iterations: number
  readonly startedAt: number
  readonly endedAt: number
  readonly total: Spent
  readonly task?: string
  readonly phase?: string
  readonly missing: readonly string[]
  /** A second Ctrl+C ended it: the exit code is 130. */
  readonly killed: boolean
}

/** The choices in the menu that opens with the breaker at a terminal. */
export type BreakerChoice =
  | {
      readonly kind: 'reset' | 'skip' | 'abort' | 'continue'
      readonly reason: string
      /** Nothing was chosen before the time was up. */
      readonly unanswered?: true
    }
  | { readonly kind: 'modify'; readonly reason: string; readonly guidance: string }
