import type { Io } from './io.ts'
import type { Options } from './parse.ts'

/** An option as you type it, and what it does. */
export type Row = readonly [names: string, text: string]

/** The help of one command. `--help`, the manual and the completions are built from it. */
export interface Page {
  /** Each way to call it, without the program's name. */
  readonly usage: readonly string[]
  /** One sentence. */
  readonly about: string
  readonly rows: readonly Row[]
  /** More options under headings, for a command that has many. */
  readonly groups?: readonly (readonly [title: string, rows: readonly Row[]])[]
  /** What else a user should know. */
  readonly more?: string
  readonly examples: readonly string[]
}

export const rowsOf = ({ rows, groups = [] }: Page): readonly Row[] => [...rows, ...groups.flatMap(([, more]) => more)]

export interface Command {
  run(args: readonly string[], io: Io): Promise<number>
  /** The table its parser uses. Help, manual and completion are tested against it. */
  readonly OPTIONS: Options
}

export interface CommandWithHelp extends Command {
  readonly HELP: Page
}

/** A command in the table of commands. Its code and its help are loaded only when needed. */
export interface CommandEntry {
  readonly about: string
  readonly load: () => Promise<Command>
  readonly help: () => Promise<Page>
}

export type Commands = Readonly<Record<string, CommandEntry>>

/** Commands under the heading that `exitgate --help` shows them with. */
export type CommandGroups = readonly (readonly [title: string, commands: Commands])[]
