import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import type { RunEnd } from '../core/run.ts'
import type { BreakerTransition, Observation, Verdict } from '../core/types.ts'

/** Everything a writer of an older system's files may use. */
export interface CompatInput {
  readonly config: Config
  /** The state after the decision. */
  readonly state: State
  readonly observation: Observation
  readonly verdict: Verdict
  readonly transitions: readonly BreakerTransition[]
  readonly at: number
  /** The current content of a workspace file; undefined if it doesn't exist. */
  readonly read: (path: string) => string | undefined
}

/** A file to write, with its path relative to the workspace. */
export interface FileWrite {
  readonly path: string
  readonly mode: 'append' | 'replace'
  readonly text: string
}

export interface CompatWriter {
  readonly write: (input: CompatInput) => readonly FileWrite[]
  /** After an end without a decision; absent if the older system writes nothing then. */
  readonly end?: (input: CompatInput) => readonly FileWrite[]
  /** Every path it may write; a trailing `/` means everything below. These files are not the agent's work. */
  readonly paths: (config: Config) => readonly string[]
  /** The lines its users know from the end of a run. */
  readonly banner?: (end: RunEnd) => readonly string[]
  /** What it prints when the breaker opens. */
  readonly breakerOpen?: (input: CompatInput) => string
  /** The session it left unfinished, if there is one. */
  readonly session?: (config: Config, task: string | undefined, read: CompatInput['read']) => StoredSession | undefined
}

/** A session in the files of an older system. */
export interface StoredSession {
  readonly file: string
  readonly id: string
  readonly phase: string
  /** Why it can't be resumed. */
  readonly problem?: string
}
