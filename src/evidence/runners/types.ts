import type { Detected } from '../types.ts'

/** How to run a test command so that the runner writes a report for machines as well, without a change to the project. */
export interface Injection {
  readonly command: string
  readonly env?: Readonly<Record<string, string>>
  /** Files that are written into the fresh folder before the run: name and text. */
  readonly files?: Readonly<Record<string, string>>
  /** Where the reports will be. */
  readonly reports: Reports
}

/**
 * `folder`: every file that the runner leaves in the fresh folder and whose name ends so.
 * `workspace`: files of these places in the workspace, as far as they are newer than the start.
 * `output`: what is printed is the report.
 */
export type Reports =
  | { readonly in: 'folder'; readonly ending: string }
  | { readonly in: 'workspace'; readonly places: readonly RegExp[] }
  | { readonly in: 'output' }

/** What a runner may look at to be sure that an option does no harm. */
export interface Surroundings {
  /** The fresh folder, outside of the workspace. */
  readonly folder: string
  /** Text of a file beside the place where the command runs. */
  readonly read: (path: string) => string | undefined
  /** The environment as it is, for variables that are added to instead of set. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Runner {
  /** As detection calls them. */
  readonly names: readonly string[]
  /** Undefined when it is not certain that the options would be understood and change nothing else. */
  readonly inject: (detected: Detected, surroundings: Surroundings) => Injection | undefined
}
