import type { ReportedUsage } from '../../packages/exitgate/src/agents/session-usage.ts'
import type { FailureCause } from './failure-cause.ts'
import type { AgentError, Ending, Models, Outcome, Signals, Spent } from './types.ts'

/** A request of the user to a running loop, from its terminal, from another one, or by a signal. */
export type Control =
  /** Stop the run after the iteration, or end the agent `now`. */
  | { readonly kind: 'interrupt'; readonly by: string; readonly reason: string; readonly now?: boolean }
  | { readonly kind: 'force'; readonly by: string; readonly reason: string }
  /** Skip the current task, or the phase where there are phases. */
  | { readonly kind: 'skip'; readonly by: string; readonly reason: string }
  | { readonly kind: 'reset-breaker'; readonly by: string; readonly reason: string }
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
  readonly ended: 'exit' | 'deadline' | 'silence' | 'runaway' | 'aborted' | 'not-started'
  readonly problem?: string
  readonly ms: number
  readonly format: string
  readonly bytes: number
  /** File with its output, relative to the state folder. */
  readonly file?: string
  readonly session?: string
  readonly usage: ReportedUsage & { readonly models?: Models }
  readonly errors: readonly AgentError[]
  /** The stream was closed by the agent, not cut off. */
  readonly finished: boolean
  /** What its standard output lacks: the events of its format, or everything. Then nothing shows that it began to work. */
  readonly lacks?: 'events' | 'output'
  /** It called a tool, so its model answered. */
  readonly usedTools?: true
  /** The first and last lines of its standard error, for people. */
  readonly stderr: string
  readonly problems: readonly string[]
  /** Processes that outlived the agent and had to be ended. */
  readonly leftBehind: number
  readonly leftRunning?: readonly string[]
  /** Why the agent's own sandbox could not start in exitgate's. */
  readonly ownSandbox?: string
  /** Its login could not be seen when it was ended early. */
  readonly noLogin?: true
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

export interface RunEnd {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly rule: string
  readonly reason: string
  /** What made the agent fail, if that ended the run. */
  readonly cause?: FailureCause
  readonly waitMinutes?: number
  readonly run: string
  readonly preset: string
  readonly iterations: number
  readonly startedAt: number
  readonly endedAt: number
  readonly total: Spent
  readonly task?: string
  readonly phase?: string
  readonly missing: readonly string[]
  /** What the agent asked in its last message, and the end of that message without status blocks. */
  readonly question?: string
  readonly said?: string
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
