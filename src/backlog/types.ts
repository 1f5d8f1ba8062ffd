import type { Ending, Outcome, Spent } from '../core/types.ts'

/** One entry of a backlog. It gets its own workspace, run and journal. */
export interface BacklogTask {
  /** Short and stable; the branch and the journal are named after it. Letters, digits, `.`, `_` and `-`. */
  readonly id: string
  /** The prompt for the agent. */
  readonly prompt: string
  /** Shown to users; by default the first line of the prompt. */
  readonly title: string
  /** Tasks that must be completed before this one may start. */
  readonly after: readonly string[]
  /** Higher starts earlier. */
  readonly priority: number
  /** Path of a plan in the repository. */
  readonly plan?: string
  /** Selects an entry of `taskTypes` in the repository's configuration. */
  readonly type?: string
  /** Limits of this task only; reaching one ends the run as usual. */
  readonly limits: Readonly<Partial<Record<'iterations' | 'minutes' | 'usd' | 'tokens', number>>>
  /** Fleet: the repository to clone, and the branch to start from. */
  readonly repository?: string
  readonly base?: string
  /** Fleet: the name of an agent the worker knows. */
  readonly agent?: string
  /** Fleet: the name of the provider key it uses. The fleet limits how many tasks use a key at once. */
  readonly key?: string
}

/** A list of tasks and their shared budget. A task never defines check commands; those belong to its repository. */
export interface Backlog {
  readonly tasks: readonly BacklogTask[]
  readonly limits: {
    readonly usd?: number
    readonly tokens?: number
    readonly minutes?: number
    readonly callsPerHour?: number
  }
}

/** Status of a task. `blocked` means a task it depends on did not complete. */
export type TaskStatus = 'waiting' | 'ready' | 'running' | 'completed' | 'failed' | 'blocked'

/** How the run of a task ended, and where its work is. */
export interface TaskEnd {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly reason: string
  readonly iterations: number
  readonly total: Spent
  readonly missing: readonly string[]
  /** Absent if the workspace could not be prepared, so no run started. */
  readonly run?: string
  readonly branch: string
  /** The commit that was checked. Merge this one, because an agent can move the branch. */
  readonly commit?: string
  /** The folder with work that is not on the branch. */
  readonly worktree?: string
  readonly merge?: MergeEnd
  /** Tests that failed before and still fail, left to other tasks. */
  readonly left?: readonly string[] | undefined
}

/** The result of merging a completed task. Unless it was merged, its branch is unchanged. */
export interface MergeEnd {
  readonly kind: 'merged' | 'nothing' | 'conflict' | 'red' | 'failed'
  /** The target branch already had all of the work; older versions wrote `red` with it instead of `nothing`. */
  readonly empty?: true
  readonly left?: readonly string[] | undefined
  readonly detail: string
}

/** One row of the summary: a task, its status, and its end if it has one. */
export interface TaskResult {
  readonly task: string
  readonly title: string
  readonly standing: TaskStatus
  readonly waitsFor: readonly string[]
  readonly end?: TaskEnd
}
