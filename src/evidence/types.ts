import type { TestRun } from '../../packages/test-output/src/types.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import type { Evidence, EvidenceSet } from '../core/types.ts'
import type { Environment } from '../system/environment.ts'
import type { CommandResult } from '../system/run-command.ts'
import type { SandboxSetup } from '../system/sandbox/enter.ts'

type CommandEvent = Extract<LoopEvent, { type: 'command' | 'command-output' | 'command-ended' }>
type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'at'> : never

/** Hears of the commands that checks run, while they run. Their text is as they printed it. */
export type OnCommand = (event: WithoutTime<CommandEvent>) => void

export interface RunOptions {
  readonly deadlineMs: number
  /** Folder inside the workspace; the workspace itself by default. */
  readonly cwd?: string
  /** Added to the scrubbed environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly maxBytes?: number
  /** How much to keep of an output longer than `maxBytes`. */
  readonly cutTo?: number
  readonly signal?: AbortSignal
  /** Text for its standard input; none by default. */
  readonly input?: string
  /** Keep the standard output separately too, for commands whose answer is a document. */
  readonly separate?: boolean
  /** One pipe for both streams, so that the order of the lines is exact. */
  readonly oneStream?: boolean
  /** Folders outside the workspace that it may change, also in a sandbox. */
  readonly writable?: readonly string[]
  /** How the live view names it. Without a name, it is not shown. `command` is the user's own, if options were added to it. */
  readonly as?: { readonly check: string; readonly command?: string; readonly why?: string }
  /** It asks a model: it gets the user's login and, if the agent has it, the network. */
  readonly login?: true
}

/** The narrow handle through which every check sees the workspace. Tests pass in a fake one. */
export interface Workspace {
  /** Absolute real path. */
  readonly dir: string
  /** The sandbox in which commands run, if there is one. */
  readonly sandbox?: SandboxSetup
  /** Hears of its commands while they run. */
  readonly onCommand?: OnCommand
  /**
   * Git lists its index again only if the stat of that file has changed. Not for a claim: an agent that mapped the file can write to it
   * without a trace.
   */
  readonly reuseIndex?: boolean
  /** Where commands run, if not in `dir`: a copy, and the path under which they see it. */
  readonly copy?: { readonly dir: string; readonly seenAs: string }
  /** Text of a file relative to the workspace; undefined if it is absent, a folder, binary, too large or leads outside. */
  read(path: string): string | undefined
  /** The environment of its commands. */
  env?(): Environment
  /** Every file that is not ignored, relative, sorted; from git if possible, otherwise by walking. */
  list(): Promise<readonly string[]>
  /** The same list, taken together with git's status (`outputOf`) if there is no list yet. */
  look?(): Promise<readonly string[]>
  /** Runs a command line (shell) or an argv in its own process group, which is killed as a tree at the deadline. */
  run(command: string | readonly string[], options: RunOptions): Promise<CommandResult>
  /** Runs git with hooks, pagers, prompts and optional locks off. Undefined if there is no git or no repository. */
  git(args: readonly string[]): Promise<string | undefined>
}

/** A command of the project, and how exitgate found it. */
export interface Detected {
  readonly kind: 'test' | 'build' | 'lint' | 'typecheck'
  readonly command: string
  /** The folder where it runs, relative to the workspace. */
  readonly cwd: string
  /** The runner it starts, if known (vitest, jest, pytest, go, cargo, ...), so that its reporter can be added. */
  readonly runner?: string
  /** `package.json has a script "test" that runs vitest` */
  readonly why: string
  /** The command line of the script that it runs, if any: `vitest run` for `npm test`. */
  readonly behind?: string
  /** Arguments to add to the runner's call, which limit it to some tests. */
  readonly only?: readonly string[]
  /** It only calls other commands of the project (make, just, tox). Used if nothing else of its kind is sure. */
  readonly wrapper?: true
  /** Nothing in the project names this command: only the look of its files does. */
  readonly guess?: true
  /** The program that it starts and that is not installed. */
  readonly missing?: string
}

/** One run of the tests: how the command ended and what its report contains. */
export interface TestResult {
  readonly ran: CommandResult
  readonly run?: TestRun
  /** `report` if a machine-readable report was read, `output` if the printed summary was, `none` if neither could be. */
  readonly source: 'report' | 'output' | 'none'
}

/** A test that failed before the first iteration, and whose failure says nothing about the code. */
export interface UnsteadyTest {
  readonly name: string
  readonly file?: string
  /** `flaky`: it passed when it ran again, with nothing changed. `network`: it needs a network that is not there. */
  readonly why: 'flaky' | 'network'
}

/** The state before the first iteration, kept out of the agent's reach. */
export interface Baseline {
  readonly at: number
  /** Identity of the tree it was taken of. */
  readonly tree: string
  /** The commit checked out then. */
  readonly head?: string
  readonly commands: readonly Detected[]
  /** States of the tests by name; absent if they could not be run or read. */
  readonly tests?: TestRun
  /** Tests that failed then for a reason that is not in the code. */
  readonly unsteady?: readonly UnsteadyTest[]
  readonly evidence: EvidenceSet
  /** Every file at that time: its path and the hash of its content. */
  readonly files: Readonly<Record<string, string>>
  /** Text of a file at that time; undefined if it did not exist or was not kept. */
  read(path: string): string | undefined
}

/** What a check may know apart from the workspace. */
export interface CheckContext {
  readonly workspace: Workspace
  readonly baseline?: Baseline
  /** Whether the agent claims to be done: the costly confirmation runs only then. */
  readonly claim: boolean
  /** Identity of the tree that all checks of this iteration look at. */
  readonly tree: string
  /** Texts that describe the task: prompt, task, plan. A test named there is part of the task. */
  readonly taskTexts: readonly string[]
  readonly deadlineMs: number
  readonly signal?: AbortSignal
  /** Opens another clean room with the same files. Absent if this claim is not checked in one. */
  readonly openRoom?: () => Promise<CleanRoom>
}

/** A private copy of exactly the tree that a verdict names. */
export interface CleanRoom {
  /** The project, where `run` runs in the copy and `read` reads the copy. */
  readonly workspace: Workspace
  /** What could not be copied, as sentences. */
  readonly problems: readonly string[]
  /** Writes or removes a file in the copy. The path is relative to the workspace. */
  put(path: string, text: string | undefined): void
  /** Keeps what compilers built in it for later rooms. Only before the first iteration. */
  keepCaches(): void
  /** Gives the copy back. Nothing may run in it after that. */
  remove(): Promise<void>
}

/** A question about the workspace. It answers, and never throws on purpose. */
export interface Check {
  readonly name: string
  /** How long it may take, if that does not follow from earlier runs. */
  readonly deadlineMs?: number
  collect(context: CheckContext): Promise<readonly Evidence[]>
}

export type { CommandResult }
