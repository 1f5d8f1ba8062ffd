import type { Ending, Outcome, Spent } from '../core/types.ts'

/** One entry of a backlog: a piece of work that gets a workspace, a run and a journal of its own. */
export interface BacklogTask {
  /** Short and stable: names the branch and the journal. Letters, digits, `.`, `_` and `-`. */
  readonly id: string
  /** What the agent is asked to do. */
  readonly prompt: string
  /** For people; the first line of the prompt when it is not given. */
  readonly title: string
  /** Tasks that must be completed before this one may start. */
  readonly after: readonly string[]
  /** Higher is earlier. */
  readonly priority: number
  /** Path of a plan in the repository. */
  readonly plan?: string
  /** Chooses the values of `taskTypes` in the repository's configuration. */
  readonly type?: string
  /** Limits of this task alone; the run ends with them as any other run does. */
  readonly limits: {
    readonly iterations?: number
    readonly minutes?: number
    readonly usd?: number
    readonly tokens?: number
  }
  /** Fleet: where its repository is cloned from, and the branch to start at. */
  readonly repository?: string
  readonly base?: string
  /** Fleet: which of the agents that the worker knows is to do it. */
  readonly agent?: string
  /** Fleet: the provider key it spends, by name; how many tasks may do so at once is the fleet's to say. */
  readonly key?: string
}

/** A list of tasks, and what they may spend together. A task never names evidence commands: those are its repository's. */
export interface Backlog {
  readonly tasks: readonly BacklogTask[]
  readonly limits: {
    readonly usd?: number
    readonly tokens?: number
    readonly minutes?: number
    readonly callsPerHour?: number
  }
}

/** Where a task of a backlog stands. `blocked`: a task it waits for did not complete. */
export type TaskStanding = 'waiting' | 'ready' | 'running' | 'completed' | 'failed' | 'blocked'

/** How the run of a task ended, and where its work is. */
export interface TaskEnd {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly reason: string
  readonly iterations: number
  readonly total: Spent
  readonly missing: readonly string[]
  /** Absent when it ended before there was a run: its workspace could not be made ready. */
  readonly run?: string
  readonly branch: string
  /** The work as it was judged, for whoever merges it: a branch can be moved, a commit cannot. */
  readonly commit?: string
  /** Where the work lies that is not on the branch. */
  readonly worktree?: string
  readonly merge?: MergeEnd
}

/** What came of merging a completed task. Unless it is merged, its branch is left as it was. */
export interface MergeEnd {
  readonly kind: 'merged' | 'conflict' | 'red' | 'failed'
  readonly detail: string
}

/** One line of the summary: a task, where it stands, and its end when it has one. */
export interface TaskResult {
  readonly task: string
  readonly title: string
  readonly standing: TaskStanding
  readonly waitsFor: readonly string[]
  readonly end?: TaskEnd
}
