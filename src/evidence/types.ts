import type { Evidence, EvidenceSet } from '../core/types.ts'
import type { CommandResult } from '../system/run-command.ts'
import type { SandboxSetup } from '../system/sandbox/enter.ts'
import type { TestRun } from '../test-output/types.ts'

export interface RunOptions {
  readonly deadlineMs: number
  /** Folder inside the workspace; the workspace itself when absent. */
  readonly cwd?: string
  /** Added to the scrubbed environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly maxBytes?: number
  /** How much of an output that is longer than `maxBytes` is kept. */
  readonly cutTo?: number
  readonly signal?: AbortSignal
  /** Text for its standard input; none when absent. */
  readonly input?: string
  /** Keep the standard output by itself too: for commands whose answer is a document. */
  readonly separate?: boolean
  /** Folders outside the workspace that it may change, also in a sandbox. */
  readonly writable?: readonly string[]
}

/** The one narrow handle through which every check sees the workspace. Tests hand in a fake twin. */
export interface Workspace {
  /** Absolute real path. */
  readonly dir: string
  /** The sandbox in which commands run, if there is one. */
  readonly sandbox?: SandboxSetup
  /** Text of a file relative to the workspace; undefined when it is absent, a folder, binary, too large or leads outside. */
  read(path: string): string | undefined
  /** Every file that is not ignored, relative, sorted; from git where there is git, else by walking. */
  list(): Promise<readonly string[]>
  /** A command line (shell) or an argv, in its own process group, killed as a tree at the deadline. */
  run(command: string | readonly string[], options: RunOptions): Promise<CommandResult>
  /** git with hooks, pagers, prompts and optional locks off. Undefined when there is no git or no repository. */
  git(args: readonly string[]): Promise<string | undefined>
}

/** A command of the project, and why exitgate thinks so. */
export interface Detected {
  readonly kind: 'test' | 'build' | 'lint' | 'typecheck'
  readonly command: string
  /** Folder relative to the workspace in which it runs. */
  readonly cwd: string
  /** The runner behind it where it is known (vitest, jest, pytest, go, cargo, ...): its reporter can be injected. */
  readonly runner?: string
  /** "package.json has a script test that calls vitest" */
  readonly why: string
  /** The command line behind a script, where there is one: `vitest run` behind `npm test`. */
  readonly behind?: string
  /** It only calls other commands of the project (make, just, tox): taken when nothing else of its kind is found. */
  readonly wrapper?: true
}

/** One run of the tests: how the command ended and what its report says. */
export interface TestResult {
  readonly ran: CommandResult
  readonly run?: TestRun
  /** `report` when a machine report was read, `output` when the printed summary was, `none` when neither could be. */
  readonly source: 'report' | 'output' | 'none'
}

/** What was so before the first iteration; kept outside the agent's reach. */
export interface Baseline {
  readonly at: number
  /** Identity of the tree it was taken on. */
  readonly tree: string
  /** The commit checked out then. */
  readonly head?: string
  readonly commands: readonly Detected[]
  /** States of the tests by name; absent when they could not be run or read. */
  readonly tests?: TestRun
  readonly evidence: EvidenceSet
  /** Every file then: its path and the hash of its content. */
  readonly files: Readonly<Record<string, string>>
  /** Text of a file as it was then; undefined when it did not exist or was not kept. */
  read(path: string): string | undefined
}

/** What a check may know besides the workspace. */
export interface CheckContext {
  readonly workspace: Workspace
  readonly baseline?: Baseline
  /** Whether the agent claims to be done: only then is the costly confirmation done. */
  readonly claim: boolean
  /** Identity of the tree all checks of this iteration look at. */
  readonly tree: string
  /** Texts that say what the task is: prompt, task, plan. A test named there is the task's own. */
  readonly taskTexts: readonly string[]
  readonly deadlineMs: number
  readonly signal?: AbortSignal
}

/** A question put to the workspace. It answers; it never throws on purpose. */
export interface Check {
  readonly name: string
  collect(context: CheckContext): Promise<readonly Evidence[]>
}

export type { CommandResult }
