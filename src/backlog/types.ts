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
