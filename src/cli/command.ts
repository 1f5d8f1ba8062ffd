import type { Io } from './io.ts'
import type { Options } from './parse.ts'

/** One option, or several that belong together, as they are written; and what they are for. */
export type Row = readonly [names: string, text: string]

/** The help of one command. `--help`, the manual and the completions are made of it. */
export interface Page {
  /** Each way to call it, without the program's name in front. */
  readonly usage: readonly string[]
  readonly about: string
  readonly rows: readonly Row[]
  /** What else a user should know. */
  readonly more?: string
  readonly examples: readonly string[]
}

export interface Command {
  run(args: readonly string[], io: Io): Promise<number>
  /** The table its parser uses. Help, manual and completion are tested against it. */
  readonly OPTIONS: Options
}

export interface CommandWithHelp extends Command {
  readonly HELP: Page
}

/** A command in the table of commands; neither its code nor its help is loaded before it is needed. */
export interface CommandEntry {
  readonly about: string
  readonly load: () => Promise<Command>
  readonly help: () => Promise<Page>
}

export type Commands = Readonly<Record<string, CommandEntry>>
