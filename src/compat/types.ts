import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import type { RunEnd } from '../core/run.ts'
import type { BreakerTransition, Observation, Verdict } from '../core/types.ts'

/** All that a writer of an older system's files may see. */
export interface CompatInput {
  readonly config: Config
  /** As the decision left it. */
  readonly state: State
  readonly observation: Observation
  readonly verdict: Verdict
  readonly transitions: readonly BreakerTransition[]
  readonly at: number
  /** What a file of the workspace holds now; undefined when there is none. */
  readonly read: (path: string) => string | undefined
}

/** A file to write, by its path from the workspace. */
export interface FileWrite {
  readonly path: string
  readonly mode: 'append' | 'replace'
  readonly text: string
}

export interface CompatWriter {
  readonly write: (input: CompatInput) => readonly FileWrite[]
  /** After an end that no iteration decided; absent where the older system writes nothing then. */
  readonly end?: (input: CompatInput) => readonly FileWrite[]
  /** Every path it may write; one that ends in `/` stands for all below it. They are not the agent's work. */
  readonly paths: (config: Config) => readonly string[]
  /** The lines its users know at the end of a run. */
  readonly banner?: (end: RunEnd) => readonly string[]
  /** What it prints when the breaker opens. */
  readonly breakerOpen?: (input: CompatInput) => string
}
