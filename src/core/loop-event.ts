import type { Config } from './config.ts'
import type { JournalEvent, State } from './journal/events.ts'
import type { AgentResult, Control, PreflightFact, RunEnd } from './run.ts'
import type { BreakerTransition, EvidenceSet, Observation, Verdict } from './types.ts'

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
  | {
      readonly type: 'baseline'
      /** The run that begins; only before the checks. */
      readonly run?: string
      readonly done: boolean
      readonly evidence?: EvidenceSet
      /** Tests that fail now may fail until the end. `the-rest`: other tasks may make them pass. */
      readonly acceptsFailing?: boolean | 'the-rest'
      readonly at: number
    }
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
      /** The baseline numbers the runs of the tests, and says what each is for. */
      readonly run?: number
      readonly why?: string
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

type Decided = Extract<LoopEvent, { type: 'decided' }>

/** An event as other processes get it. The state after a decision is in the journal, so it is left out here. */
export type FeedEvent = Exclude<LoopEvent, Decided> | Omit<Decided, 'state'>

/** Whether an event is text that a program printed. There may be much of it. */
export const isPrinted = ({ type }: Pick<LoopEvent, 'type'>): boolean => type === 'output' || type === 'command-output'
