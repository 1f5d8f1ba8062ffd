import type { Detected } from '../types.ts'

/** How to run a test command so that the runner also writes a machine-readable report, without changing the project. */
export interface Injection {
  readonly command: string
  readonly env?: Readonly<Record<string, string>>
  /** Files to write into the fresh folder before the run: name and text. */
  readonly files?: Readonly<Record<string, string>>
  /** Where the reports will be. */
  readonly reports: Reports
}

/**
 * With `folder`, the reports are all files in the fresh folder whose names have this ending. With `workspace`, they are files at
 * these paths in the workspace that are newer than the start. With `output`, the printed output is the report.
 */
export type Reports =
  | { readonly in: 'folder'; readonly ending: string }
  | { readonly in: 'workspace'; readonly places: readonly RegExp[] }
  | { readonly in: 'output' }

/** What a runner may look at to make sure that an option does no harm. */
export interface RunnerContext {
  /** The fresh folder, outside the workspace. */
  readonly folder: string
  /** Text of a file, relative to the folder where the command runs. */
  readonly read: (path: string) => string | undefined
  /** The current environment, for variables that are added to instead of set. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Runner {
  /** The names that detection uses. */
  readonly names: readonly string[]
  /** Undefined unless it is certain that the options are understood and change nothing else. */
  readonly inject: (detected: Detected, context: RunnerContext) => Injection | undefined
}
